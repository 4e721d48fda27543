package track

import (
	"strings"
	"testing"
)

func TestNumbersOfPropertiesHaveOneSpelling(t *testing.T) {
	for _, c := range []struct{ sent, kept string }{
		{"1.50", "1.5"}, {"1E+2", "100"}, {"1.0", "1"}, {"-0", "0"}, {"-0.0", "0"}, {"0.10", "0.1"}, {"5e-7", "5e-7"},
		{"12345678901234567890", "12345678901234567890"}, {"-3", "-3"}, {"[1.50,{\"a\":2.0}]", "[1.5,{\"a\":2}]"},
	} {
		o, err := decode([]byte(`{"properties":{"k":` + c.sent + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		got := newFields(o.(object)).properties()
		if want := `{"k":` + c.kept + `}`; got != want {
			t.Errorf("%s: %s, want %s", c.sent, got, want)
		}
	}
}

// TestPropertiesAsTextAreBounded sends properties as a text, which counts as one value of the body.
func TestPropertiesAsTextAreBounded(t *testing.T) {
	for n, want := range map[int]string{3: `{"a":[0,0,0,0]}`, maxValues: ""} {
		f := newFields(object{"properties": `{"a":[0` + strings.Repeat(",0", n) + `]}`})
		if got := f.properties(); got != want || (f.dropped != nil) != (want == "") {
			t.Errorf("%d more values: %.40q, %v", n, got, f.dropped)
		}
	}
}
