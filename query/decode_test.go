package query

import (
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"parameters":["summary","pages"],"preset":"last_30d","filters":[{"field":"country","op":"eq","value":"DE"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if all, _, err := Decode(body, 0); err != nil || all[0].Errors != nil {
			b.Fatal(err)
		}
	}
}
