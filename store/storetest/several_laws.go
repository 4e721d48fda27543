package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// SeveralLaws tests what holds for answers about several websites, whatever the rows: visitors, sessions and counts are
// the sums of the answers about each website, rows by website are these answers, and answers that are merged from the
// partials of each website have the same bytes as answers of a statement.
func SeveralLaws(t *testing.T, h Harness, seed uint64) {
	w, s := dataset.New(seed), h.filledWith(t, seed)
	l := &severalLaws{t: t, store: s, sites: w.Websites, middle: w.Batch.Events[0].Time.UTC()}
	for _, plain := range []bool{true, false} {
		e, err := query.New(query.Config{Store: s, Now: func() time.Time { return l.middle.AddDate(0, 1, 0) },
			EngineOptions: query.EngineOptions{NoDerived: plain, ResultCache: -1}})
		if err != nil {
			t.Fatal(err)
		}
		l.engines = append(l.engines, e)
	}
	l.addUp()
	l.merges()
	l.begins()
	l.expires()
}

type severalLaws struct {
	t       *testing.T
	store   store.Store
	sites   []string
	middle  time.Time       // of the range
	engines []*query.Engine // the first reads rows alone
}

// request asks for one parameter about nine days.
func (l *severalLaws) request(parameter string) query.Request {
	l.t.Helper()
	body := fmt.Sprintf(`{"parameters":[%s],"startDate":%q,"endDate":%q}`, parameter,
		l.middle.AddDate(0, 0, -4).Format(time.DateOnly), l.middle.AddDate(0, 0, 4).Format(time.DateOnly))
	all, _, err := query.Decode([]byte(body), 1)
	if err != nil || len(all[0].Errors) > 0 {
		l.t.Fatal(err, all)
	}
	return all[0].Request
}

// ask returns the rows of the answer to a parameter as JSON.
func (l *severalLaws) ask(e *query.Engine, a query.Access, parameter string) []byte {
	l.t.Helper()
	resp, err := e.Run(l.t.Context(), a, l.request(parameter))
	if err != nil {
		l.t.Fatal(err)
	}
	if !resp.Data[0].Success {
		l.t.Fatal(resp.Data[0].Error, resp.Data[0].Cause)
	}
	return resp.Data[0].Data.AppendJSON(nil)
}

func (l *severalLaws) rows(a query.Access, parameter string) (rows []map[string]any) {
	l.t.Helper()
	if err := json.Unmarshal(l.ask(l.engines[0], a, parameter), &rows); err != nil {
		l.t.Fatal(err)
	}
	return rows
}

func ofSites(ids ...string) (a query.Access) {
	for _, id := range ids {
		a.Websites = append(a.Websites, query.Website{ID: id, Name: id})
	}
	return a
}

func (l *severalLaws) addUp() {
	l.t.Helper()
	metrics := []string{"pageviews", "visitors", "sessions", "total_events"}
	choice, err := json.Marshal(metrics)
	if err != nil {
		l.t.Fatal(err)
	}
	whole := l.rows(ofSites(l.sites...), fmt.Sprintf(`{"dataset":"pageviews","metrics":%s}`, choice))[0]
	bySite := l.rows(ofSites(l.sites...),
		fmt.Sprintf(`{"dataset":"pageviews","metrics":%s,"dimensions":["website"]}`, choice))
	sums := map[string]float64{}
	for _, id := range l.sites {
		one := l.rows(query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: id}},
			fmt.Sprintf(`{"dataset":"pageviews","metrics":%s}`, choice))[0]
		at := slices.IndexFunc(bySite, func(row map[string]any) bool { return row["website"] == id })
		for _, m := range metrics {
			n, _ := one[m].(float64)
			sums[m] += n
			if at >= 0 && bySite[at][m] != one[m] || at < 0 && n != 0 {
				l.t.Errorf("%s of %s: %v alone, by website %v", m, id, one, bySite)
			}
		}
	}
	for _, m := range metrics {
		if whole[m] != sums[m] || sums[m] == 0 {
			l.t.Errorf("%s of all is %v, the sum of all is %v", m, whole[m], sums[m])
		}
	}
}

func (l *severalLaws) merges() {
	l.t.Helper()
	const counts = `"metrics":["pageviews","visitors","sessions","bounce_rate","median_session_duration",` +
		`"avg_load_time"]`
	for _, parameter := range []string{
		`{"dataset":"pageviews",` + counts + `}`,
		`{"dataset":"pageviews",` + counts + `,"dimensions":["country"]}`,
		`{"dataset":"pageviews",` + counts + `,"dimensions":["website"]}`,
		`{"dataset":"pageviews",` + counts + `,"dimensions":["country","website","device_type"]}`,
		`{"dataset":"pageviews",` + counts + `,"dimensions":["date"]}`,
		`{"dataset":"pageviews",` + counts + `,"dimensions":["website","date"]}`,
		`{"name":"summary_metrics","filters":[{"field":"website","op":"ne","value":"` + l.sites[0] + `"}]}`,
		`{"name":"web_vitals_by_page"}`,
		`{"name":"session_duration_distribution","groupBy":["website"]}`,
		`{"name":"outbound_domains"}`, `{"name":"errors_by_page"}`,
		`{"name":"goals","goals":[{"name":"Any","page":{"op":"contains","value":"/"}},{"name":"None","event":"none"}]}`,
		`{"name":"goals_trends","goals":[{"name":"Any","page":{"op":"contains","value":"/"}}]}`,
	} {
		of := ofSites(l.sites...)
		want := l.ask(l.engines[0], of, parameter)
		for range 3 {
			if got := l.ask(l.engines[1], of, parameter); !bytes.Equal(got, want) {
				l.t.Errorf("%s: %s", parameter, firstDifference(string(want), string(got)))
			}
			if err := l.engines[1].Wait(l.t.Context()); err != nil {
				l.t.Fatal(err)
			}
		}
		shown, err := l.engines[1].Explain(l.t.Context(), of, l.request(parameter))
		if _, derives := l.store.(store.Deriver); err != nil || derives && shown[0].Source != query.Merged {
			l.t.Errorf("%s comes from %s, because of %q: %v", parameter, shown[0].Source, shown[0].Why, err)
		}
	}
}

// begins tests that all_time begins with the first row of any website.
func (l *severalLaws) begins() {
	l.t.Helper()
	first := func(a query.Access) string {
		req := query.Request{Parameters: []query.Parameter{{Name: "summary_metrics"}},
			Options: query.Options{Preset: "all_time"}}
		resp, err := l.engines[0].Run(l.t.Context(), a, req)
		if err != nil {
			l.t.Fatal(err)
		}
		return resp.Meta.StartDate
	}
	var alone []string
	for _, id := range l.sites {
		alone = append(alone, first(ofSites(id)))
	}
	if got := first(ofSites(l.sites...)); got != slices.Min(alone) {
		l.t.Errorf("all_time begins on %s, of single websites on %q", got, alone)
	}
}

// expires tests that an answer names the latest of the days whose rows were removed, of any website.
func (l *severalLaws) expires() {
	l.t.Helper()
	if _, expires := l.store.(store.Expirer); !expires {
		return
	}
	day := l.middle.Truncate(24 * time.Hour)
	for i, before := range []time.Time{day, day.AddDate(0, 0, 2)} {
		of := store.Subject{Kind: store.KindWebsite, ID: l.sites[i]}
		if _, err := l.engines[1].Expire(l.t.Context(), of, before, false); err != nil {
			l.t.Fatal(err)
		}
	}
	expired := func(a query.Access) (end time.Time) {
		resp, err := l.engines[1].Run(l.t.Context(), a, l.request(`"summary_metrics"`))
		if err != nil {
			l.t.Fatal(err)
		}
		if at := resp.Data[0].Meta.ExpiredBefore; at != nil {
			end = at.Time
		}
		return end
	}
	var latest time.Time
	for _, id := range l.sites {
		if end := expired(query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: id}}); end.After(latest) {
			latest = end
		}
	}
	if got := expired(ofSites(l.sites...)); got.IsZero() || !got.Equal(latest) {
		l.t.Errorf("rows of days before %s were removed, of single websites before %s", got, latest)
	}
}
