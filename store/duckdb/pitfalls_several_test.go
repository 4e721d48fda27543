//go:build cgo

package duckdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// TestPitfallsOfSeveralAnswers is about pitfalls that one row of one answer does not show.
func TestPitfallsOfSeveralAnswers(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	if _, err := s.Write(t.Context(), pitfallRows()); err != nil {
		t.Fatal(err)
	}
	p := pit{s, pitfallNow}
	for _, row := range []struct {
		name  string
		check func(*testing.T, pit)
	}{
		{"3: a limit that nobody gave cuts a series", hoursOfAMonth},
		{"8: a preset wins over dates and nobody says so", presetIsShown},
		{"9: today is remembered from yesterday", todayMoves},
		{"30: pages of equal rows overlap", pagesOfTies},
		{"31: the default limit is published and not applied", defaultLimit},
		{"32: two parameters of one name show the same rows", twoOfOneName},
		{"33: entries come back in another order", orderOfEntries},
		{"37: batches without end", longBatch},
		{"38: one bad query rejects its batch", badQueryInBatch},
		{"44: hints promise hours that a type does not have", truthfulHints},
	} {
		t.Run("pitfall "+row.name, func(t *testing.T) { row.check(t, p) })
	}
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
		t.Errorf("meta says %s to %s, want the 11th", m.StartDate, m.EndDate)
	}
}

func todayMoves(t *testing.T, p pit) {
	for day, want := range map[int]string{9: "1", 10: "6", 11: "0"} {
		p.now = time.Date(2026, 3, day, 23, 59, 59, 999_999_999, time.UTC)
		for _, request := range []string{ask1("summary_metrics", `"preset":"today"`), ask1("today_metrics", `"preset":"last_7d"`)} {
			if got := shown(t, p.must(t, "", request).Data[0], "pageviews"); got != want {
				t.Errorf("at the end of day %d %s: %s pageviews, want %s", day, request, got, want)
			}
		}
	}
}

func pagesOfTies(t *testing.T, p pit) {
	seen := map[any]bool{}
	for page := 1; page <= 5; page++ {
		r := p.must(t, "many", ask1("top_pages", march10+fmt.Sprintf(`,"limit":25,"page":%d`, page)))
		for _, row := range decodeRows(t, r.Data[0]) {
			if seen[row["path"]] {
				t.Errorf("page %d shows %v again", page, row["path"])
			}
			seen[row["path"]] = true
		}
	}
	if len(seen) != 101 {
		t.Errorf("%d paths, want 101", len(seen))
	}
}

func defaultLimit(t *testing.T, p pit) {
	r := p.must(t, "many", ask1("pages", march10))
	for _, info := range p.engine(t).Types() {
		if n := r.Data[0].Data.Len(); info.Name == "pages" && (n != info.DefaultLimit || n != 100) {
			t.Errorf("%d rows, the limit is %d", n, info.DefaultLimit)
		}
	}
	if !r.Data[0].Meta.HasMore {
		t.Error("it does not say that more follow")
	}
}

func twoOfOneName(t *testing.T, p pit) {
	r := p.must(t, "", `{"parameters":["summary_metrics",{"name":"summary_metrics","start_date":"2026-03-09","end_date":"2026-03-09"}],`+march10+`}`)
	if a, b := shown(t, r.Data[0], "pageviews"), shown(t, r.Data[1], "pageviews"); a != "6" || b != "1" {
		t.Errorf("%s and %s pageviews, want 6 and 1", a, b)
	}
}

func orderOfEntries(t *testing.T, p pit) {
	r := p.must(t, "", `{"parameters":["pages","weather",{"name":"traffic","start_date":"soon"},"countries"],`+march10+`}`)
	var got []string
	for _, d := range r.Data {
		got = append(got, fmt.Sprint(d.Parameter, " ", d.Success))
	}
	if want := []string{"pages true", "weather false", "traffic false", "countries true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func longBatch(t *testing.T, _ pit) {
	body := "["
	for range 20 {
		body += ask1("pages", march10) + ","
	}
	if _, _, err := query.Decode([]byte(body+ask1("pages", march10)+"]"), 20); err == nil {
		t.Error("21 queries are accepted where 20 are allowed")
	}
}

func badQueryInBatch(t *testing.T, p pit) {
	queries, batch, err := query.Decode([]byte(`[`+ask1("pages", march10)+`,{"parameters":7},`+ask1("traffic", march10)+`]`), 20)
	if err != nil || !batch || len(queries) != 3 {
		t.Fatalf("%d queries, batch %t, %v", len(queries), batch, err)
	}
	for i, wrong := range []bool{false, true, false} {
		if (len(queries[i].Errors) > 0) != wrong {
			t.Errorf("query %d: %v", i, queries[i].Errors)
		}
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
