package reference

import (
	"errors"
	"strings"
	"testing"
)

// Section 3: what is a decimal. Each case has the JSON of a property and the decimal, or none.
func TestDecimals(t *testing.T) {
	for _, tt := range [][2]string{
		{`12`, "12"}, {`12.5`, "12.5"}, {`"12.5"`, "12.5"}, {`" 12.5 "`, "12.5"}, {`"\t7\n"`, "7"}, {`-3`, "-3"},
		{`"-3"`, "-3"}, {`0`, "0"}, {`-0.0`, "0"},
		{`1.00005`, "1.0001"}, {`-1.00005`, "-1.0001"}, {`1.00004999`, "1"}, {`"0.00005"`, "0.0001"},
		{`0.30000000000000004`, "0.3"},
		{`1e3`, "1000"}, {`12345.678E-2`, "123.4568"}, {`5e-5`, "0.0001"}, {`1E+2`, "100"}, {`1e400`, "none"},
		{`-1e-400`, "0"}, {`0e999999999999999999999`, "0"},
		{`1e999999999999999999999`, "none"}, {`1e-999999999999999999999`, "0"},
		{`0.` + strings.Repeat("0", 300) + `1e305`, "10000"},
		{`"1e3"`, "none"}, {`"+5"`, "none"}, {`".5"`, "none"}, {`"5."`, "none"}, {`"12,5"`, "none"}, {`""`, "none"},
		{`" "`, "none"}, {`"٣"`, "none"}, {`"00012.5"`, "12.5"},
		{`999999999`, "999999999"}, {`-999999999`, "-999999999"}, {`1000000000`, "none"},
		{`999999999.00004`, "999999999"}, {`999999999.00005`, "none"},
		{`"999999999.00004"`, "999999999"}, {`"1234567890"`, "none"}, {`"0123456789"`, "none"},
		{`true`, "none"}, {`null`, "none"}, {`[1]`, "none"}, {`{"a":1}`, "none"},
	} {
		got := "none"
		if n, ok := decimalOf(valuesOf(`{"a":` + tt[0] + `}`)["a"]); ok {
			got = decimal(sumOf([]int64{n}), 4)
		}
		if got != tt[1] {
			t.Errorf("%s: got %s, want %s", tt[0], got, tt[1])
		}
	}
}

// Section 1: the texts of properties.
func TestPropertyValues(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"a":"x"}`, "a", "x"}, {`{"a":"\u00fc\/"}`, "a", "ü/"}, {`{"a":true}`, "a", "true"},
		{`{"a":12.50}`, "a", "12.50"}, {`{"a":1E+3}`, "a", "1E+3"},
		{`{"a":[ "a" , 1 ]}`, "a", `["a",1]`}, {`{"a":{"z":1, "b":{}}}`, "a", `{"z":1,"b":{}}`},
		{`{"a":["\u00fc"]}`, "a", `["ü"]`},
		{`{"a":null}`, "a", ""}, {`{}`, "a", ""}, {``, "a", ""}, {`{"a":1,"a":2}`, "a", "1"},
		{`{"a.b":1,"a":{"b":2}}`, "a.b", "1"},
	} {
		if got := valuesOf(tt[0])[tt[1]].text; got != tt[2] {
			t.Errorf("%s: got %q, want %q", tt[0], got, tt[2])
		}
	}
}

// Section 3: a sum that is too large fails, and an average of such a sum.
func TestSumsTooLarge(t *testing.T) {
	at := []int64{}
	for range 900_000 {
		at = append(at, 999_999_999*tenThousandths)
	}
	most := append(at, 900_000*tenThousandths) // 9·10^14
	if v := sumCell(most); v.json() != "900000000000000" {
		t.Errorf("the largest sum is %s", v.json())
	}
	for _, more := range []int64{1, -1} {
		list := append([]int64{}, most...)
		for i := range list {
			list[i] *= more
		}
		list = append(list, more)
		if sumCell(list).kind != tooLargeValue || averageCell(list).kind != tooLargeValue {
			t.Error("a sum beyond 9·10^14 is shown")
		}
	}
	table := &table{rows: [][]value{{sumCell(append(most, 1))}}}
	if err := table.checkSums(); !errors.Is(err, ErrSum) {
		t.Errorf("the error is %v", err)
	}
}
