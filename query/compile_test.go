package query_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// silent is a store that speaks a dialect and holds nothing.
type silent struct{ lang *dialect.Dialect }

func (s silent) Dialect() *dialect.Dialect  { return s.lang }
func (s silent) Ping(context.Context) error { return nil }
func (s silent) Query(context.Context, store.Statement) (*store.Rows, error) {
	return nil, errors.New("holds nothing")
}

func engine(t testing.TB) *query.Engine {
	t.Helper()
	return engineIn(t, dialect.DuckDB())
}

func engineIn(t testing.TB, lang *dialect.Dialect) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: silent{lang},
		Now: func() time.Time { return time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestGoldenTypes pins the statements of every type in every dialect: as it is asked most often,
// and with filters of the caller's and of a key on a field of the session and one of the
// row, and a group. The filters leave rows of the demo to each type.
func TestGoldenTypes(t *testing.T) {
	e, other := engine(t), engineIn(t, dialect.ClickHouse())
	rows := demo.New(demo.Config{Website: "w1", Domain: "shop.example", Link: "w1", Schedule: "w1", PerDay: 30}).
		Batch(time.Date(2026, 3, 1, 5, 0, 0, 0, time.UTC), time.Date(2026, 3, 21, 4, 0, 0, 0, time.UTC))
	data, latest := reference.NewData(*rows), narrowed(rows.Events)
	for _, info := range e.Types() {
		t.Run(info.Name, func(t *testing.T) {
			access := query.Access{Subject: store.Subject{Kind: info.Subject, ID: "w1"}}
			req := query.Request{Parameters: []query.Parameter{storetest.Example(info.Name)},
				TimeZone:  "America/New_York",
				StartDate: "2026-03-01", EndDate: "2026-03-20"}
			if info.RequiredFilter != "" {
				req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq,
					Values: []string{latest.SessionID}}}
			}
			var inDuckDB, inClickHouse strings.Builder
			inDuckDB.WriteString(explain(t, e, access, req) + "\n")
			inClickHouse.WriteString(golden.SQL(explained(t, other, access, req).SQL) + "\n\n")
			narrow(info, &access, &req)
			inDuckDB.WriteString(explain(t, e, access, req))
			inClickHouse.WriteString(golden.SQL(explained(t, other, access, req).SQL) + "\n")
			golden.CheckSQL(t, filepath.Join("testdata", "types", info.Name+".golden"), []byte(inDuckDB.String()))
			golden.CheckSQL(t, filepath.Join("testdata", "types", "clickhouse", info.Name+".golden"),
				[]byte(inClickHouse.String()))
			matches(t, data, latest.Time.Add(time.Second), access, req)
		})
	}
}

// A day that a zone leaves out has no rows, and statements all the same.
func TestADayThatAZoneLeavesOut(t *testing.T) {
	e := engine(t)
	for _, info := range e.Types() {
		req := query.Request{Parameters: []query.Parameter{storetest.Example(info.Name)}, TimeZone: "Pacific/Apia",
			StartDate: "2011-12-30", EndDate: "2011-12-30"}
		if info.RequiredFilter != "" {
			req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{"x"}}}
		}
		if sql := explained(t, e, query.Access{Subject: store.Subject{Kind: info.Subject, ID: "w1"}},
			req).SQL; strings.Contains(sql, "AS ()") {
			t.Errorf("%s: a relation of nothing:\n%s", info.Name, sql)
		}
	}
}

// narrow gives a request filters and a group, and its access filters, that leave rows.
func narrow(info query.Info, access *query.Access, req *query.Request) {
	page := "/docs"
	if strings.HasPrefix(info.Name, "utm_") { // no campaign leads there
		page = "/pricing"
	}
	for _, f := range []struct{ ofKey, ofCaller query.Filter }{
		{query.Filter{Field: "country", Op: query.In, Values: []string{"DE", "United States"}},
			query.Filter{Field: "country", Op: query.Ne, Values: []string{"FR"}}},
		{query.Filter{Field: "path", Op: query.StartsWith, Values: []string{page}},
			query.Filter{Field: "path", Op: query.Ne, Values: []string{"/docs/billing"}}},
		{query.Filter{Field: "probe_region", Op: query.StartsWith, Values: []string{"eu"}},
			query.Filter{Field: "probe_region", Op: query.Ne, Values: []string{"us-east"}}},
	} {
		if slices.Contains(info.Filters, f.ofKey.Field) {
			access.Filters, req.Filters = append(access.Filters, f.ofKey), append(req.Filters, f.ofCaller)
		}
	}
	for _, field := range info.Groupable {
		if field == "utm_source" || field == "referrer" || field == "probe_region" {
			req.GroupBy = append(req.GroupBy, field)
		}
	}
}

// matches wants rows that pass the filters of an access and a request.
func matches(t *testing.T, data *reference.Data, now time.Time, access query.Access, req query.Request) {
	t.Helper()
	of := func(filters []query.Filter) (list []reference.Filter) {
		for _, f := range filters {
			list = append(list, reference.Filter{Field: f.Field, Op: string(f.Op), Values: f.Values})
		}
		return list
	}
	q := reference.Example(req.Parameters[0].Name)
	q.Subject, q.Zone, q.StartDate, q.EndDate, q.GroupBy, q.Now = access.Subject, req.TimeZone, req.StartDate,
		req.EndDate, req.GroupBy, now
	q.Filters, q.Mandatory = of(req.Filters), of(access.Filters)
	answer, err := data.Answer(q)
	if err != nil || !something.Match(answer) {
		t.Errorf("no row passes the filters: %v\n%.500s", err, answer)
	}
}

// something matches values of rows that were not added to fill a gap.
var something = regexp.MustCompile(`:[1-9]|:true|"timestamp":"`)

// narrowed is the latest pageview that narrow leaves.
func narrowed(events []store.Event) (latest store.Event) {
	for _, e := range events {
		if e.Kind == store.Pageview && e.Country == "DE" && e.Path == "/docs/api" && e.SessionID != "" {
			latest = e
		}
	}
	return latest
}

// explained returns the statement of req. Every read of stored rows in it must be restricted to the subject.
func explained(t *testing.T, e *query.Engine, a query.Access, req query.Request) query.Explained {
	t.Helper()
	found, err := e.Explain(t.Context(), a, req)
	if err != nil {
		t.Fatal(err)
	}
	if found[0].Err != nil {
		t.Fatal(found[0].Err)
	}
	sql := found[0].SQL
	if n, own := len(reads.FindAllString(sql, -1)), len(ofSubject.FindAllString(sql, -1)); n == 0 || n != own {
		t.Errorf("%d reads of stored rows, %d of them by subject:\n%s", n, own, sql)
	}
	return found[0]
}

// explain is the same for people.
func explain(t *testing.T, e *query.Engine, a query.Access, req query.Request) string {
	t.Helper()
	found := explained(t, e, a, req)
	var b strings.Builder
	fmt.Fprintf(&b, "# plan\n%s# sql\n%s\n# arguments\n", found.Plan, golden.SQL(found.SQL))
	for _, arg := range found.Args {
		fmt.Fprintf(&b, "%s %v\n", arg.Name, short(arg.Value))
	}
	return b.String()
}

// What reads stored rows, and what says first of such a read whose they are.
var (
	reads     = regexp.MustCompile(`(FROM|JOIN) (events|errors|vitals|spans|visits|checks|blocked)\b`)
	ofSubject = regexp.MustCompile("WHERE \\(t\\.[\"`]subject[\"`] = [$]?[{]?p[0-9]+")
)

func short(v any) any {
	if list, ok := v.([]string); ok && len(list) > 5 {
		return fmt.Sprintf("%q and %d more", list[:5], len(list)-5)
	}
	return fmt.Sprintf("%v", v)
}

// marked returns a parameter in which all texts of a caller are mark, as far as it can be.
func marked(info query.Info, mark string) query.Parameter {
	p := storetest.Example(info.Name)
	p.ID = mark
	is := query.Text{Op: query.Eq, Values: []string{mark}}
	for i := range p.Goals {
		g := &p.Goals[i]
		g.Name, g.Value = fmt.Sprint(mark, i), mark
		g.Filters = []query.Filter{{Field: "namespace", Op: query.Eq, Values: []string{mark}}}
		if len(query.PropertyPrefix+mark) <= 128 {
			g.Filters = append(g.Filters,
				query.Filter{Field: query.PropertyPrefix + mark, Op: query.Ne, Values: []string{mark}})
		} else {
			g.Value = ""
		}
		g.Event, g.Page = &is, nil
	}
	return p
}

// FuzzNothingOfACallerReachesSQL holds every text of a request against the statement.
func FuzzNothingOfACallerReachesSQL(f *testing.F) {
	e := engine(f)
	texts := []string{"'; DROP TABLE events; --", `x" OR 1=1`, "$1", "${x}", "$p1", "%s", "\\", "ü🎉", "--", "/*"}
	for place := range e.Types() {
		f.Add(texts[place%len(texts)], place)
		f.Add(strings.Join(texts, " "), place)
	}
	f.Fuzz(func(t *testing.T, text string, place int) {
		mark := "mark7f3a" + text + "mark7f3a"
		if place >= 0 && place < len(e.Types()) {
			info := e.Types()[place]
			req := query.Request{ID: mark, Parameters: []query.Parameter{marked(info, mark)}, StartDate: "2026-03-01",
				EndDate: "2026-03-02"}
			access := query.Access{Subject: store.Subject{Kind: info.Subject, ID: mark}}
			if info.RequiredFilter != "" {
				req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{mark}}}
			}
			for _, field := range info.Filters {
				ops := []query.Op{query.Eq, query.Contains, query.NotIn}
				if field == "country" || field == "referrer" && strings.Contains(mark, "://") {
					ops = ops[1:2] // whole values must be countries and referrers
				}
				if field == "website" {
					ops = []query.Op{query.Eq, query.NotIn}
				}
				for _, op := range ops {
					req.Filters = append(req.Filters, query.Filter{Field: field, Op: op, Values: []string{mark}})
				}
				if field == "website" { // no filter of an access
					continue
				}
				access.Filters = append(access.Filters,
					query.Filter{Field: field, Op: query.StartsWith, Values: []string{mark}})
			}
			req.Filters = req.Filters[:min(len(req.Filters), 48)]
			if quoted := regexp.QuoteMeta(mark); len(info.Filters) > 0 && len(quoted) <= 490 {
				field := info.Filters[place%len(info.Filters)]
				if field == "website" {
					field = info.Filters[(place+1)%len(info.Filters)]
				}
				req.Filters = append(req.Filters,
					query.Filter{Or: []query.Filter{{Field: field, Op: query.Matches, Values: []string{quoted}},
						{Not: &query.Filter{Field: field, Op: query.NotMatches, Values: []string{"(?i)" + quoted}}}}})
			}
			if key := query.PropertyPrefix + mark; len(info.PropertyOperators) > 0 && len(mark) <= 128 &&
				len(req.Filters) < 49 {
				req.Filters = append(req.Filters, query.Filter{Field: key, Op: query.Exists},
					query.Filter{Field: key, Op: query.Ne, Values: []string{mark}})
				access.Filters = append(access.Filters,
					query.Filter{Not: &query.Filter{Field: key, Op: query.Gt, Values: []string{"1"}}})
				if slices.Contains(info.Groupable, "event_name") {
					req.GroupBy = []string{key}
				}
			}
			found, err := e.Explain(t.Context(), access, req)
			if err != nil {
				return // refused as a whole, like text that is no UTF-8
			}
			if found[0].Err != nil {
				t.Fatalf("%s: %v", info.Name, found[0].Err)
			}
			if strings.Contains(found[0].SQL, "mark7f3a") {
				t.Fatalf("%s: %s", info.Name, found[0].SQL)
			}
			for _, arg := range found[0].Args {
				if !strings.Contains(found[0].SQL, "$"+arg.Name+"::") {
					t.Fatalf("%s: argument %s is bound but not used", info.Name, arg.Name)
				}
			}
		}
	})
}

// BenchmarkResolveCompile is the engine without a store: one parameter to a statement.
func BenchmarkResolveCompile(b *testing.B) {
	e := engine(b)
	access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}
	for _, name := range []string{"summary", "pages", "traffic"} {
		b.Run(name, func(b *testing.B) {
			req := query.Request{Parameters: []query.Parameter{{Name: name}},
				Options: query.Options{Preset: "last_30d",
					Filters: []query.Filter{{Field: "country", Op: query.Eq, Values: []string{"DE"}}}},
				TimeZone: "Europe/Berlin"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Explain(b.Context(), access, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
