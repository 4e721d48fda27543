package storetest

import (
	"cmp"
	"context"
	"iter"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A Mutation is a mistake that a test plants between rows and answers: in a template, in a statement, in its
// arguments, or in the stored rows. Zero fields do nothing.
type Mutation struct {
	Name     string
	Op       dialect.Op // the operation whose template becomes Template, unless Template is empty
	Template string
	SQL      func(text string) string
	Args     func(args []dialect.Arg) // changes args in place
	Rows     func(b *store.Batch)     // changes b in place
	// Part returns the part of a response that is compared, with the mistake. Nil means rows.
	Part func(*query.Response) ([]byte, error)
	// Shape selects questions of [Reference] that ask more than a type alone, those with this shape. Empty means the
	// others.
	Shape string
	// When selects the questions whose answers may show the mistake. Nil means all.
	When func(q reference.Question) bool
	// First is the seed of the first dataset in which the mistake is searched. 0 means 9. Another number saves time if
	// that dataset does not show the mistake.
	First uint64
}

// Mutations returns the mutations of arguments and rows, which work with any store.
func Mutations() []Mutation {
	return []Mutation{
		{Name: "a UTC edge", Args: edgesInUTC},
		{Name: "the DST hour", Args: oneShift,
			When: OfType("events_by_date", "sessions_time_series", "custom_events_trends", "error_trends",
				"vitals_time_series", "blocked_traffic_trends", "hours")},
		{Name: "www. kept", Rows: keepWWW},
		{Name: "a duplicate counted twice", Rows: newIDs},
		{Name: "campaign sources counted as referrers", Rows: noCampaignKinds},
	}
}

// SQLMutations returns the mutations of SQL in the dialect d. Some replace a word in a template: they are skipped in a
// dialect that does not use it.
func SQLMutations(d *dialect.Dialect) []Mutation {
	changed := func(op dialect.Op, oldnew ...string) string {
		return strings.NewReplacer(oldnew...).Replace(d.Templates[op])
	}
	one := func(column string) string { return "s." + d.Ident(column) + " = 1" }
	column := strings.Replace(regexp.QuoteMeta(d.Ident("x")), "x", "[a-z_]+", 1)
	text := strings.Replace(regexp.QuoteMeta(d.Arg("x", dialect.Text)), "x", `p\d+`, 1)
	return slices.Concat(choiceMutations(d), didMutations(d), funnelMutations(d), []Mutation{
		{Name: "visitors counted by row", Op: dialect.CountDistinctHash,
			Template: changed(dialect.CountIf, "$1", "$1 <> 0")},
		{Name: "medians without halves", Op: dialect.Median,
			Template: "(" + d.Call(dialect.FloorDiv, d.Call(dialect.Median, "$1"), "1000") + " * 1000)"},
		{Name: "a prefix that is a pattern", Op: dialect.StartsWith, Template: "($1 LIKE ($2 || '%'))",
			When: filteredWith("starts_with", "%", "_")},
		{Name: "a part that is a pattern", Op: dialect.Contains, Template: "($1 LIKE ('%' || $2 || '%'))",
			When: filteredWith("contains", "%", "_")},
		{Name: "buckets cut at half", Op: dialect.FloorDiv,
			Template: d.Call(dialect.FloorDiv, "($1 + "+d.Call(dialect.FloorDiv, "$2", "2")+")", "$2"), When: byHour},
		{Name: "fields of the session's last event", Op: dialect.ArgMinRowIf,
			Template: changed(dialect.ArgMinRowIf, "min", "max", "Min", "Max", "ORDER BY $2", "ORDER BY $2 DESC")},
		{Name: "only the first session of an id", Op: dialect.RunningMax, Template: "min($1) OVER (PARTITION BY $2)"},
		{Name: "the first instead of the latest", Op: dialect.ArgMaxList, Template: d.Templates[dialect.ArgMinList],
			When: OfType("uptime_overview", "uptime_ssl_status", "errors")},
		{Name: "the variant of the last exposure", Op: dialect.ArgMinList, Template: d.Templates[dialect.ArgMaxList],
			When: OfType("flag_outcomes")},
		{Name: "outcomes before the exposure", SQL: Rewritten(`\(d\.(`+column+`) >= a\.`+column+`\)`, `(d.$1 > 0)`),
			When: OfType("flag_outcomes")},
		{Name: "bounces of the events that a filter leaves", SQL: Replaced(one("pageviews"), one("matching_pageviews")),
			When: both(OfType("summary_metrics"), filteredBy("path")), First: 12},
		{Name: "the entry page of a row is the last one", Op: dialect.ArgMinIf,
			Template: d.Templates[dialect.ArgMaxIf], When: groupedBy("entry_page")},
		{Name: "weeks of hours begin on Tuesday", SQL: Rewritten(`\+ 3\)`, `+ 2)`), When: OfType("hours")},
		{Name: "only one day has rows of hours without pageviews", Op: dialect.ZipBuckets,
			Template: "(SELECT * FROM " + d.Templates[dialect.ZipBuckets] + " AS z WHERE bucket < 2)",
			When:     OfType("hours")},
		{Name: "one row of the other period", SQL: Rewritten(`(?s)(FROM compared AS y.*)`, `$1 LIMIT 1`),
			When: compares},
		{Name: "campaign sources among the referrers",
			SQL: Rewritten(`(campaign_kind\S{0,2}(?: END)?) = ''\)`, `$1 <> 'none')`), When: OfType("top_referrers")},
		{Name: "shares after the limit", SQL: Rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`)},
		{Name: "pages without a tie-break",
			SQL: Rewritten(`(ORDER BY `+column+` (?:ASC|DESC) NULLS LAST), .*? LIMIT`, `$1 LIMIT`)},
		{Name: "ne drops absent values",
			SQL: Rewritten(`\(NOT \(((?:t|s)\.`+column+`|CASE WHEN [^=]*? END|if\([^=]*?\)) = (`+text+`)\)\)`,
				`($1 <> $2 AND $1 <> '')`)},
	})
}

func compares(q reference.Question) bool { return q.Compare != "" }

// Replaced returns a Mutation.SQL that replaces one text by another.
func Replaced(from, to string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, from, to) }
}

// Rewritten returns a Mutation.SQL that replaces matches of a pattern, like [regexp.Regexp.ReplaceAllString].
func Rewritten(pattern, to string) func(string) string {
	compiled := regexp.MustCompile(pattern)
	return func(text string) string { return compiled.ReplaceAllString(text, to) }
}

// AllMutations reports whether SIGHTLINE_MUTATIONS=all is set. Then every mutation is planted in every store that
// supports it, otherwise one of each kind in one store.
func AllMutations() bool { return os.Getenv("SIGHTLINE_MUTATIONS") == "all" }

// OnePerKind returns the first of the mutations of each kind, or all of them if AllMutations is true. Mutations are of
// one kind if they change the same thing (a template, a statement, its arguments, the stored rows or the response) and
// concern questions of the same shape.
func OnePerKind(mutations []Mutation) []Mutation {
	if AllMutations() {
		return mutations
	}
	type kind struct {
		op, sql, args, rows, part bool
		shape                     string
	}
	var first []Mutation
	seen := map[kind]bool{}
	for _, m := range mutations {
		k := kind{m.Template != "", m.SQL != nil, m.Args != nil, m.Rows != nil, m.Part != nil, m.Shape}
		if !seen[k] {
			seen[k] = true
			first = append(first, m)
		}
	}
	return first
}

// firstDataset is the seed of the first dataset in which mistakes are searched.
const firstDataset = 9

// KillsMutants plants one mutation at a time into the store of h. It fails unless the comparison with the
// reference evaluator finds each mutation within a few datasets.
func KillsMutants(t *testing.T, h Harness, mutations []Mutation) {
	first, data := h.filledWith(t, firstDataset), dataOf(firstDataset)
	for _, m := range mutations {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			m.mustChange(t, first.Dialect())
			m.mustShow(t, func(seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
				want := data
				if seed != firstDataset {
					want = dataOf(seed)
				}
				part := m.Part
				if part == nil {
					part = rows
				}
				return compareReference(t.Context(),
					newEngineRunner(t, query.Config{Store: m.planted(t, h, first, seed)}, part), want, questions, true)
			})
		})
	}
}

// dataOf returns the reference evaluator's data for the dataset of a seed.
func dataOf(seed uint64) *reference.Data { return reference.NewData(dataset.New(seed).Batch) }

// DiffKillsMutants plants one mutation at a time into the store of other. It fails unless the comparison with
// the store of one finds each mutation within a few datasets.
func DiffKillsMutants(t *testing.T, one, other Harness, mutations []Mutation) {
	first := other.filledWith(t, firstDataset)
	for _, m := range mutations {
		t.Run(m.Name, func(t *testing.T) {
			m.mustChange(t, first.Dialect())
			m.mustShow(t, func(seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
				want := one.runnerWith(t, seed, whole, firstOf(questions, 0))
				got := newEngineRunner(t, query.Config{Store: m.planted(t, other, first, seed)}, whole)
				return compareStores(t.Context(), want, got, questions, true)
			})
		})
	}
}

// mustChange skips a test of m if its template is the one of the dialect. For example, it may exchange the name of a
// function that the dialect does not use.
func (m *Mutation) mustChange(t *testing.T, d *dialect.Dialect) {
	t.Helper()
	if m.Template != "" && m.Template == d.Templates[m.Op] {
		t.Skipf("not tested: the mutation does not change the template %s of the dialect %s", m.Op, d.Name)
	}
}

// mustShow compares within a few datasets until it finds a difference.
func (m *Mutation) mustShow(t *testing.T,
	compare func(seed uint64, questions iter.Seq[reference.Question]) (*comparison, error)) {
	t.Helper()
	first := cmp.Or(m.First, firstDataset)
	for seed := first; seed < first+6; seed++ {
		found, err := compare(seed, m.questions(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if found.failed > 0 {
			t.Fatalf("seed %d: the statement with the mistake fails: %s", seed, found.differ[0])
		}
		if len(found.differ) > 0 {
			t.Logf("the planted mistake was noticed, as it must be, with seed %d after %d questions: %s", seed,
				found.asked, found.differ[0])
			return
		}
	}
	t.Errorf("the comparison did not notice the mistake %q in any of its questions; perhaps it changes no statement of this dialect", m.Name)
}

// questions returns at most 400 questions about the dataset of a seed that may show m.
func (m *Mutation) questions(seed uint64) iter.Seq[reference.Question] {
	all := questionsOf(seed, 10_000)
	if m.Shape != "" {
		all = firstOf(asking(seed, m.Shape), 10_000)
	}
	return func(yield func(reference.Question) bool) {
		left := 400
		for q := range all {
			if m.When != nil && !m.When(q) {
				continue
			}
			if left--; !yield(q) || left == 0 {
				return
			}
		}
	}
}

// OfType returns a Mutation.When that selects questions of these types.
func OfType(names ...string) func(reference.Question) bool {
	return func(q reference.Question) bool { return slices.Contains(names, q.Type) }
}

// byHour selects questions with buckets of hours. Rows of the last bucket that are moved out of the range make the
// engine fail, and days and weeks have more of them.
func byHour(q reference.Question) bool { return q.Grain == "hourly" }

// Filtered returns a Mutation.When that selects questions with a filter whose value contains one of these texts.
func Filtered(texts ...string) func(reference.Question) bool {
	return func(q reference.Question) bool {
		for _, f := range slices.Concat(q.Filters, q.Mandatory) {
			for _, v := range f.Values {
				if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(v, text) }) {
					return true
				}
			}
		}
		return false
	}
}

// filteredWith returns a Mutation.When that selects questions with a filter that has this operator and a value that
// contains one of these texts.
func filteredWith(op string, texts ...string) func(reference.Question) bool {
	return func(q reference.Question) bool {
		return slices.ContainsFunc(slices.Concat(q.Filters, q.Mandatory), func(f reference.Filter) bool {
			return f.Op == op && slices.ContainsFunc(f.Values, func(v string) bool {
				return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(v, text) })
			})
		})
	}
}

// filteredBy returns a Mutation.When that selects questions with a filter on field.
func filteredBy(field string) func(reference.Question) bool {
	return func(q reference.Question) bool {
		return slices.ContainsFunc(q.Filters, func(f reference.Filter) bool { return f.Field == field })
	}
}

func groupedBy(field string) func(reference.Question) bool {
	return func(q reference.Question) bool { return slices.Contains(q.GroupBy, field) }
}

func both(a, b func(reference.Question) bool) func(reference.Question) bool {
	return func(q reference.Question) bool { return a(q) && b(q) }
}

// planted returns a store that has the dataset of a seed and makes the mistake m. first is a store with the first
// dataset that makes no mistake.
func (m *Mutation) planted(t *testing.T, h Harness, first store.Store, seed uint64) store.Store {
	t.Helper()
	s := first
	if m.Rows != nil || seed != firstDataset {
		w := dataset.New(seed)
		if m.Rows != nil {
			m.Rows(&w.Batch)
		}
		s = h.filled(t, &w.Batch)
	}
	lang := *s.Dialect()
	if m.Template != "" {
		lang.Templates[m.Op] = m.Template
	}
	return mistaken{s, &lang, m}
}

// mistaken is a store that makes a mistake.
type mistaken struct {
	store.Store
	lang *dialect.Dialect
	made *Mutation
}

// Dialect returns the store's dialect with the mistake.
func (m mistaken) Dialect() *dialect.Dialect { return m.lang }

// Query runs stmt with the mistake.
func (m mistaken) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if m.made.SQL != nil {
		stmt.SQL = m.made.SQL(stmt.SQL)
	}
	if m.made.Args != nil {
		stmt.Args = slices.Clone(stmt.Args)
		m.made.Args(stmt.Args)
	}
	return m.Store.Query(ctx, stmt)
}

const dayMillis = 24 * 60 * 60 * 1000

// edgesInUTC moves instants to the midnight of their UTC day.
func edgesInUTC(args []dialect.Arg) {
	for i, a := range args {
		if v, ok := a.Value.(int64); ok && v > dayMillis {
			args[i].Value = v - v%dayMillis
		}
	}
}

// oneShift uses the zone's offset at the beginning of the range for the whole range.
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

func noCampaignKinds(b *store.Batch) {
	for i := range b.Events {
		b.Events[i].CampaignKind = ""
	}
}

// newIDs gives new ids to events that repeat an id.
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
