package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Pitfalls runs requests on one small dataset that similar services are known to have answered wrongly. Each
// case has the number under which the mistake was recorded. These numbers have no case here:
//
//	20  revenue in several currencies: there is no revenue
//	25  look-alike hosts when rows arrive: internal/referrer; tested with filters here
//	30  overlapping pages of equal rows: Properties
//	37  unlimited batches, 38 one bad query rejects its batch: query, TestDecodeBatch
//	42  a key without the scope gets 403, not 401: httpapi
//	43  scans per query: no number depends on it; benchmarks of store/duckdb
//	45  stored averages and quantiles: stores only store rows
//
// The rows are delivered twice. Cases named in except are skipped.
func Pitfalls(t *testing.T, h Harness, except ...string) {
	s := h.open(t)
	for range 2 { // the second delivery is a repeat
		h.fill(t, s, pitfallRows())
	}
	p := pit{s, now}
	for _, row := range pitfalls() {
		if slices.Contains(except, row.name) {
			continue
		}
		t.Run("pitfall "+row.name, func(t *testing.T) {
			got := p.ask(t, row)
			if start, open := strings.CutSuffix(row.want, "…"); got != row.want &&
				(!open || !strings.HasPrefix(got, start)) {
				t.Errorf("%s\ngot  %s\nwant %s", row.request, got, row.want)
			}
		})
	}
	for _, row := range []struct {
		name  string
		check func(*testing.T, pit)
	}{
		{"3: a default limit cuts a series", hoursOfAMonth},
		{"8: a preset silently overrides dates", presetIsShown},
		{"9: today is yesterday's cached answer", todayMoves},
		{"31: the default limit is documented but not applied", defaultLimit},
		{"32: two parameters with one name show the same rows", twoOfOneName},
		{"33: entries come back in another order", orderOfEntries},
		{"44: a type claims to support hours but does not", truthfulHints},
	} {
		t.Run("pitfall "+row.name, func(t *testing.T) { row.check(t, p) })
	}
}

// A pitfall is a request, with columns of its first parameter's rows. A failure is shown as its code and text,
// a rejected request as "refused:" and the error.
type pitfall struct {
	name    string
	of      string // website w unless it begins with link: or schedule:
	request string
	show    string
	want    string // rows joined by |, columns by spaces; … matches any end
}

const march10 = `"startDate":"2026-03-10","endDate":"2026-03-10"`

func ask1(parameter, rest string) string { return `{"parameters":["` + parameter + `"],` + rest + `}` }

func filtered(parameter, field, op, value string) string {
	return ask1(parameter, march10+`,"filters":[{"field":"`+field+`","op":"`+op+`","value":`+value+`}]`)
}

type pit struct {
	store store.Store
	now   time.Time
}

func (p pit) engine(t *testing.T) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: p.store, Now: func() time.Time { return p.now }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (p pit) ask(t *testing.T, row pitfall) string {
	t.Helper()
	r, refused := p.run(t, row.of, row.request)
	if refused != "" {
		return "refused: " + refused
	}
	return shown(t, r.Data[0], row.show)
}

func (p pit) run(t *testing.T, of, request string) (*query.Response, string) {
	t.Helper()
	requests, _, err := query.Decode([]byte(request), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(requests[0].Errors) > 0 {
		return nil, requests[0].Errors.Error()
	}
	subject := store.Subject{Kind: store.KindWebsite, ID: "w"}
	if kind, id, ok := strings.Cut(of, ":"); ok {
		subject = store.Subject{Kind: store.SubjectKind(kind), ID: id}
	} else if of != "" {
		subject.ID = of
	}
	r, err := p.engine(t).Run(t.Context(), query.Access{Subject: subject}, requests[0].Request)
	if err != nil {
		return nil, err.Error()
	}
	return r, ""
}

func shown(t *testing.T, r query.Result, columns string) string {
	t.Helper()
	if !r.Success {
		return fmt.Sprintf("%s: %s", r.Code, r.Error)
	}
	var lines []string
	for _, row := range decodeRows(t, r) {
		var cells []string
		for name := range strings.FieldsSeq(columns) {
			cell := row[name]
			if cell == nil {
				cell = "null"
			}
			cells = append(cells, fmt.Sprint(cell))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, "|")
}

func (p pit) must(t *testing.T, of, request string) *query.Response {
	t.Helper()
	r, refused := p.run(t, of, request)
	if refused != "" {
		t.Fatal(refused)
	}
	return r
}

func hoursOfAMonth(t *testing.T, p pit) {
	r := p.must(t, "", ask1("summary", `"startDate":"2026-02-11","endDate":"2026-03-12","granularity":"hourly"`))
	if n := r.Data[0].Data.Len(); n != 720 {
		t.Errorf("%d hours, want 720", n)
	}
}

func presetIsShown(t *testing.T, p pit) {
	m := p.must(t, "", ask1("summary_metrics", march10+`,"preset":"yesterday"`)).Meta
	if m.StartDate != "2026-03-11" || m.EndDate != "2026-03-11" {
		t.Errorf("meta has the range %s to %s, want the 11th", m.StartDate, m.EndDate)
	}
}

func todayMoves(t *testing.T, p pit) {
	for day, want := range map[int]string{9: "1", 10: "6", 11: "0"} {
		p.now = time.Date(2026, 3, day, 23, 59, 59, 999_999_999, time.UTC)
		for _, request := range []string{ask1("summary_metrics", `"preset":"today"`),
			ask1("today_metrics", `"preset":"last_7d"`)} {
			if got := shown(t, p.must(t, "", request).Data[0], "pageviews"); got != want {
				t.Errorf("at the end of day %d %s: %s pageviews, want %s", day, request, got, want)
			}
		}
	}
}

func defaultLimit(t *testing.T, p pit) {
	r := p.must(t, "many", ask1("pages", march10))
	for _, info := range p.engine(t).Types() {
		if n := r.Data[0].Data.Len(); info.Name == "pages" && (n != info.DefaultLimit || n != 100) {
			t.Errorf("%d rows, want the limit %d", n, info.DefaultLimit)
		}
	}
	if !r.Data[0].Meta.HasMore {
		t.Error("the answer does not say that more rows follow")
	}
}

func twoOfOneName(t *testing.T, p pit) {
	r := p.must(t, "", `{"parameters":["summary_metrics",{"name":"summary_metrics","start_date":"2026-03-09","end_date":"2026-03-09"}],`+march10+`}`)
	if a, b := shown(t, r.Data[0], "pageviews"), shown(t, r.Data[1], "pageviews"); a != "6" || b != "1" {
		t.Errorf("%s and %s pageviews, want 6 and 1", a, b)
	}
}

func orderOfEntries(t *testing.T, p pit) {
	r := p.must(t, "", `{"parameters":["pages","weather",{"name":"traffic","start_date":"soon"},"countries"],`+march10+
		`}`)
	var got []string
	for _, d := range r.Data {
		got = append(got, fmt.Sprint(d.Parameter, " ", d.Success))
	}
	if want := []string{"pages true", "weather false", "traffic false", "countries true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func truthfulHints(t *testing.T, p pit) {
	for _, info := range p.engine(t).Types() {
		dated := slices.ContainsFunc(info.Output, func(f query.OutputField) bool { return f.Type == query.Date })
		if dated != (len(info.Granularity) > 0) {
			t.Errorf("%s: granularity %v, a column of dates: %t", info.Name, info.Granularity, dated)
		}
	}
}
