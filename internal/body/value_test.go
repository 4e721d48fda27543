package body

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// Arrays and objects are taken apart as encoding/json does it.
func FuzzTakenApart(f *testing.F) {
	for _, seed := range []string{`[]`, `{ }`, `[1, -2.5e3 ,"a,]\"b\\" , {"x":[{}]},null]`,
		"\t{ \"a\\u0022\" :\n1 , \"b\":{\"c\":\"}\"} ,\"b\":[[]]}", `[true,[false],"é😀"]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) || !utf8.Valid(text) {
			return
		}
		var array []json.RawMessage
		switch text[0] {
		case '[':
			if err := json.Unmarshal(text, &array); err != nil {
				t.Fatal(err)
			}
			for i, v := range elements(text) {
				if i >= len(array) || !bytes.Equal(v.json, array[i]) {
					t.Fatalf("element %d is %s", i, v.json)
				}
			}
			if n := len(elements(text)); n != len(array) {
				t.Fatalf("%d elements, not %d", n, len(array))
			}
		case '{':
			dec := json.NewDecoder(bytes.NewReader(text))
			_, _ = dec.Token()
			for sent, v := range members(text) {
				name, _ := sent.Text()
				want, _ := dec.Token()
				var value json.RawMessage
				if err := dec.Decode(&value); err != nil || want != name || !bytes.Equal(value, v.json) {
					t.Fatalf("member %q is %s, not %q and %s: %v", name, v.json, want, value, err)
				}
			}
			if dec.More() {
				t.Fatal("members are left out")
			}
		}
	})
}
