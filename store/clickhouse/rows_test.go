package clickhouse_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func ints(v ...int64) store.Column     { return store.Column{Kind: dialect.Int, Ints: v} }
func floats(v ...float64) store.Column { return store.Column{Kind: dialect.Float, Floats: v} }
func texts(v ...string) store.Column   { return store.Column{Kind: dialect.Text, Texts: v} }

// holes sets which values of c are known.
func holes(c store.Column, valid ...bool) store.Column {
	c.Valid = valid
	return c
}

func TestValuesOfEveryWidth(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		for sql, want := range map[string]store.Column{
			"toInt8(-1)":                    ints(-1),
			"toUInt8(255)":                  ints(255),
			"toInt16(-1)":                   ints(-1),
			"toUInt16(65535)":               ints(65535),
			"toInt32(-1)":                   ints(-1),
			"toUInt32(4294967295)":          ints(math.MaxUint32),
			"toInt64(-9223372036854775808)": ints(math.MinInt64),
			"toUInt64(9223372036854775807)": ints(math.MaxInt64),
			"toInt128(-5)":                  ints(-5),
			"toUInt256(5)":                  ints(5),
			"1 = 1":                         ints(1),
			"true":                          ints(1),
			"toNullable(false)":             ints(0),
			"toLowCardinality(toUInt16(7))": ints(7),
			"arrayJoin([toNullable(toUInt8(3)), NULL])": holes(ints(3, 0), true, false),
			"arrayJoin([NULL, toNullable(toInt64(3))])": holes(ints(0, 3), false, true),
			"CAST(NULL, 'Nullable(Int32)')":             holes(ints(0), false),
			"toFloat32(0.5)":                            floats(0.5),
			"toFloat64(1) / 3":                          floats(1.0 / 3),
			"toNullable(toFloat64(2))":                  floats(2),
			"arrayJoin([toFloat64(1), nan, inf, -inf])": holes(floats(1, 0, 0, 0), true, false, false, false),
			"toFloat64(0) / 0":                          holes(floats(0), false),
			"avgOrNull(number) AS a FROM numbers(0)":    holes(floats(0), false),
			"''":                                        texts(""),
			"toLowCardinality('ü')":                     texts("ü"),
			"toLowCardinality(toNullable('ü'))":         texts("ü"),
			"toNullable('a')":                           texts("a"),
			"arrayJoin(['a', NULL])":                    holes(texts("a", ""), true, false),
			"CAST('on', 'Enum8(\\'on\\' = 1)')":         texts("on"),
		} {
			rows, err := s.Query(t.Context(),
				store.Statement{Label: "value", SQL: "SELECT " + sql, Kinds: []dialect.Kind{want.Kind}})
			if err != nil {
				t.Errorf("%s: %v", sql, err)
				continue
			}
			if diff := cmp.Diff(want, rows.Columns[0]); diff != "" {
				t.Errorf("%s: %s", sql, diff)
			}
		}
		for _, kind := range []dialect.Kind{dialect.Int, dialect.Float, dialect.Text} {
			rows, err := s.Query(t.Context(),
				store.Statement{Label: "null", SQL: "SELECT NULL", Kinds: []dialect.Kind{kind}})
			if err != nil || rows.Len != 1 || !rows.Columns[0].Null(0) {
				t.Errorf("NULL as kind %d: %v, %v", kind, rows, err)
			}
			rows, err = s.Query(t.Context(),
				store.Statement{Label: "none", SQL: "SELECT NULL WHERE 1 = 0", Kinds: []dialect.Kind{kind}})
			if err != nil || rows.Len != 0 || len(rows.Columns) != 1 {
				t.Errorf("no rows of kind %d: %v, %v", kind, rows, err)
			}
		}
	})
}

func TestValuesThatDoNotFit(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		for sql, kind := range map[string]dialect.Kind{
			"toUInt64(9223372036854775808)":   dialect.Int,
			"toInt128('9223372036854775808')": dialect.Int,
			"'1'":                             dialect.Int,
			"1.5":                             dialect.Int,
			"toInt64(1)":                      dialect.Float,
			"toDate('2026-01-01')":            dialect.Text,
			"['a']":                           dialect.Text,
		} {
			rows, err := s.Query(t.Context(),
				store.Statement{Label: "value", SQL: "SELECT " + sql, Kinds: []dialect.Kind{kind}})
			if err == nil || !strings.Contains(err.Error(), "column 1") {
				t.Errorf("%s as kind %d: %v, %v; want an error with the column", sql, kind, rows, err)
			}
		}
	})
}

// BenchmarkRows reads the largest possible answer: 10 000 rows with ten columns.
func BenchmarkRows(b *testing.B) {
	for name, variable := range protocols {
		b.Run(name, func(b *testing.B) {
			s, err := clickhouse.Open(b.Context(), clickhouse.Config{DSN: chtest.Address(b, variable)})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close(context.Background()) }()
			stmt := store.Statement{
				Label: "rows",
				SQL: "SELECT toInt64(number), toInt64(number), toInt64(number), toNullable(toInt64(number)), toFloat64(number), toNullable(toFloat64(number))," +
					" toString(number), toString(number), toString(number), toString(number) FROM numbers(10000)",
				Kinds: []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Int, dialect.Float, dialect.Float,
					dialect.Text, dialect.Text, dialect.Text, dialect.Text},
			}
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := s.Query(b.Context(), stmt); err != nil || rows.Len != 10_000 {
					b.Fatal(rows, err)
				}
			}
		})
	}
}
