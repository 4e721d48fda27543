package dialect_test

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestDialectsHaveEveryTemplate tests that each dialect is total, and that Check finds any operation without a
// template.
func TestDialectsHaveEveryTemplate(t *testing.T) {
	for _, d := range []*dialect.Dialect{dialect.DuckDB(), dialect.ClickHouse(), dialect.SQLite()} {
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		for op := range d.Templates {
			without := *d
			without.Templates[op] = ""
			if err := without.Check(); err == nil ||
				!strings.Contains(err.Error(), dialect.Op(op).String()+" has no template") {
				t.Errorf("%s without %s: %v", d.Name, dialect.Op(op), err)
			}
		}
	}
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	d := dialect.DuckDB()
	d.Templates[dialect.Quantile], d.Templates[dialect.ZipBuckets], d.Name = "", "", ""
	err := d.Check()
	for _, want := range []string{"Quantile has no template", "ZipBuckets has no template",
		"Name, Ident and Arg are required"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestCallPutsOperandsInTheirPlaces(t *testing.T) {
	d := dialect.DuckDB()
	d.Templates[dialect.Contains] = "f($2, $1, '$$', $2)"
	if got, want := d.Call(dialect.Contains, "a$1", "b"), "f(b, a$1, '$', b)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
