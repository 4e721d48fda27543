//go:build cgo

package duckdb_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A mistake is something wrong on the way from rows to answers: in a spelling, in a
// statement, in its arguments, or in the rows that are stored.
type mistake struct {
	name  string
	of    dialect.Func // spelled like spell, if that is not empty
	spell string
	sql   func(text string) string
	args  func(args []dialect.Arg)
	rows  func(b *store.Batch)
}

// TestReferenceCatchesMistakes plants one mistake at a time, and wants each to be seen.
func TestReferenceCatchesMistakes(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(4); seed < 10; seed++ {
				found := compare(t, seed, 400, &m)
				if len(found.Differ) > 0 {
					t.Logf("seed %d: seen after %d questions", seed, found.Asked)
					return
				}
			}
			t.Error("nobody saw it")
		})
	}
}

func mistakes() []mistake {
	return []mistake{
		{name: "visitors counted by row", of: dialect.Uniq, spell: "count(nullif($1, ''))"},
		{name: "medians that take a neighbour", of: dialect.Quantile, spell: "(quantile_disc(($1)::DOUBLE, $2 / 1000) * 1000)::BIGINT"},
		{name: "a prefix that is a pattern", of: dialect.StartsWith, spell: "($1 LIKE $2 || '%')"},
		{name: "a part that is a pattern", of: dialect.Contains, spell: "($1 LIKE '%' || $2 || '%')"},
		{name: "buckets cut at half", of: dialect.FloorDiv, spell: "round(($1) / $2)::BIGINT"},
		{name: "fields of the session's last event", of: dialect.FirstIf, spell: "coalesce(arg_max($1, $2) FILTER (WHERE $3), '')"},
		{name: "only the first session of an id", of: dialect.RunningMax, spell: "min($1) OVER (PARTITION BY $2)"},
		{name: "the first instead of the latest", of: dialect.Latest, spell: "arg_min($1, ROW($2))"},
		{name: "a UTC edge", args: edgesInUTC},
		{name: "the DST hour", args: oneShift},
		{name: "bounces of the events that a filter leaves", sql: replaced(`s."pageviews" = 1`, `s."hits" = 1`)},
		{name: "shares after the limit", sql: rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`)},
		{name: "pages without a tie-break", sql: rewritten(`(ORDER BY "[a-z_]+" (?:ASC|DESC) NULLS LAST), .*? LIMIT`, `$1, random() LIMIT`)},
		{name: "ne drops absent values", sql: rewritten(`\(NOT \(((?:t|s)\."[a-z_]+"|CASE WHEN [^=]*? END) = (\$p\d+::VARCHAR)\)\)`, `($1 <> $2 AND $1 <> '')`)},
		{name: "www. kept", rows: keepWWW},
		{name: "a duplicate counted twice", rows: newIDs},
	}
}

func replaced(from, to string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, from, to) }
}

func rewritten(pattern, to string) func(string) string {
	compiled := regexp.MustCompile(pattern)
	return func(text string) string { return compiled.ReplaceAllString(text, to) }
}

const dayMillis = 24 * 60 * 60 * 1000

// edgesInUTC moves instants to the midnight of their day in UTC.
func edgesInUTC(args []dialect.Arg) {
	for i, a := range args {
		if v, ok := a.Value.(int64); ok && v > dayMillis {
			args[i].Value = v - v%dayMillis
		}
	}
}

// oneShift takes the zone's shift at the beginning of the range for all of it.
func oneShift(args []dialect.Arg) {
	first := slices.IndexFunc(args, isShift)
	for i, a := range args {
		if isShift(a) {
			args[i].Value = args[first].Value
		}
	}
}

func isShift(a dialect.Arg) bool {
	v, ok := a.Value.(int64)
	return ok && v != 0 && v > -dayMillis && v < dayMillis
}

func keepWWW(b *store.Batch) {
	for i := range b.Events {
		if b.Events[i].ReferrerDomain != "" {
			b.Events[i].ReferrerDomain = "www." + b.Events[i].ReferrerDomain
		}
	}
}

// newIDs gives events that repeat an id one of their own.
func newIDs(b *store.Batch) {
	type id struct{ site, kind, text string }
	seen := map[id]bool{}
	for i := range b.Events {
		e := &b.Events[i]
		this := id{e.Website, "page", e.ID}
		if e.Kind == store.Custom || e.Kind == store.Click {
			this.kind = strconv.Itoa(int(e.Kind))
		}
		if seen[this] {
			e.ID += "#" + strconv.Itoa(i)
		}
		seen[this] = true
	}
}

// in plants m into s and b.
func (m *mistake) in(s store.Store, b *store.Batch) store.Store {
	lang := *s.Dialect()
	if m.spell != "" {
		lang.Spell[m.of] = m.spell
	}
	if m.rows != nil {
		m.rows(b)
	}
	return mistaken{s, &lang, m}
}

// mistaken is a store that makes a mistake.
type mistaken struct {
	store.Store
	lang *dialect.Dialect
	made *mistake
}

func (m mistaken) Dialect() *dialect.Dialect { return m.lang }

func (m mistaken) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if m.made.sql != nil {
		stmt.SQL = m.made.sql(stmt.SQL)
	}
	if m.made.args != nil {
		stmt.Args = slices.Clone(stmt.Args)
		m.made.args(stmt.Args)
	}
	return m.Store.Query(ctx, stmt)
}
