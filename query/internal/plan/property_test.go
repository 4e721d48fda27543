package plan

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

func TestDecimalText(t *testing.T) {
	for text, want := range map[string]string{
		"12.5": "125000", " -3.00005\r\n": "-30001", "0.12344999999999999999": "1234", "-0.00005": "-1",
		"000000001": "10000", "-0": "0",
		"1.5e3": "15000000", "125E-3": "1250", "0e99999999999999999999": "0", "1e-99999999999999999999": "0",
		"1e2000": "", "1e99999999999999999999": "",
		"999999999.000049": "9999999990000", "999999999.00005": "", "0000000001": "", "1234567890": "",
		"-999999999": "-9999999990000",
		"":           "", "x": "", "true": "", "+1": "", "1.": "", ".5": "", "1_0": "", "0x1p3": "", "1/2": "",
		"1 2": "",
		"0." + strings.Repeat("0", 2000) + "1e2001": "10000",
	} {
		if got := decimalText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestSpellings finds a number in a property by every way to write it, and no other number.
func TestSpellings(t *testing.T) {
	for value, want := range map[string]string{
		"10.0": "10 10.0", "1.10": "1.1 1.10", "1e3": "1000 1e3", "1000": "1000", "-0": "-0 0", "0.5E1": "0.5E1 5",
		"12.5":             "12.5",
		"9007199254740993": "9007199254740993", "1e21": "1000000000000000000000 1e+21 1e21", "1e-7": "1e-7",
		"0.0000001":              "0.0000001 1e-7",
		"1000000000000000000000": "1000000000000000000000 1e+21", "1e999": "1e999", "1e-999999999": "1e-999999999",
		"pro": "pro", "": "", "010": "010", "1.": "1.", "true": "true",
	} {
		c := ConditionOn(catalog.PropertyNamed("property:v"),
			ask.Filter{Field: "property:v", Op: ask.Eq, Values: []string{value}})
		if got := strings.Join(c.Values, " "); got != want {
			t.Errorf("%q is looked for as %q, want %q", value, got, want)
		}
	}
	part := ConditionOn(catalog.PropertyNamed("property:v"),
		ask.Filter{Field: "property:v", Op: ask.Contains, Values: []string{"1.0"}})
	if len(part.Values) != 1 {
		t.Errorf("a part of a text is looked for as %q", part.Values)
	}
}
