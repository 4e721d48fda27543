package collect

import (
	"database/sql/driver"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestCollector(t *testing.T) {
	c := New(store.Statement{Kinds: []dialect.Kind{dialect.Int, dialect.Float, dialect.Text}, MaxBytes: 100})
	for _, cells := range [][]driver.Value{
		{int64(-1), 0.5, "a"}, {uint8(255), float32(0.25), nil}, {uint64(math.MaxInt64), int64(3), "b"},
		{big.NewInt(math.MinInt64), nil, ""},
	} {
		if err := c.Add(cells); err != nil {
			t.Fatal(err)
		}
	}
	want := &store.Rows{Len: 4, Columns: []store.Column{
		{Kind: dialect.Int, Ints: []int64{-1, 255, math.MaxInt64, math.MinInt64}},
		{Kind: dialect.Float, Floats: []float64{0.5, 0.25, 3, 0}, Valid: []bool{true, true, true, false}},
		{Kind: dialect.Text, Texts: []string{"a", "", "b", ""}, Valid: []bool{true, false, true, true}},
	}}
	if diff := cmp.Diff(want, c.Rows); diff != "" {
		t.Errorf("the rows differ (-want +got)\n%s", diff)
	}
}

func TestCollectorRefuses(t *testing.T) {
	for _, row := range []struct {
		name  string
		kind  dialect.Kind
		cells []driver.Value
		want  string
	}{
		{"too few columns", dialect.Int, nil, "0 columns, want 1"},
		{"a text as a whole number", dialect.Int, []driver.Value{"1"}, "column 1: the value 1 has type string"},
		{"a number with decimals as a whole number", dialect.Int, []driver.Value{1.0}, "type float64"},
		{"a whole number above 64 bits", dialect.Int, []driver.Value{new(big.Int).Lsh(big.NewInt(1), 63)},
			"a whole number of 64 bits"},
		{"an unsigned number above 63 bits", dialect.Int, []driver.Value{uint64(1 << 63)}, "a whole number of 64 bits"},
		{"a text as a number", dialect.Float, []driver.Value{"0.5"}, "type string"},
		{"bytes as a text", dialect.Text, []driver.Value{[]byte("a")}, "want text"},
		{"a kind of arguments only", dialect.Texts, []driver.Value{"a"}, "cannot have kind"},
		{"more bytes than allowed", dialect.Text, []driver.Value{"123456789"}, store.ErrTooLarge.Error()},
	} {
		c := New(store.Statement{Kinds: []dialect.Kind{row.kind}, MaxBytes: 8})
		if err := c.Add(row.cells); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: the error is %v, want %q in it", row.name, err, row.want)
		}
	}
	if err := New(store.Statement{Kinds: []dialect.Kind{dialect.Int},
		MaxBytes: 7}).Add([]driver.Value{int64(1)}); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("the error of a number is %v, want store.ErrTooLarge: it has 8 bytes", err)
	}
}
