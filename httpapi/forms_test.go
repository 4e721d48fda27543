package httpapi

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
)

const (
	inMarch = `"startDate":"2026-03-01","endDate":"2026-03-02"`
	askAll  = `{"parameters":["pages"],` + inMarch + `}`
)

// TestFormsByAccept checks which form a request gets, and that no Accept, or one that allows JSON as well, gets the
// JSON of before.
func TestFormsByAccept(t *testing.T) {
	w := newWorld(t)
	const csvType, lines, js, problem = "text/csv; charset=utf-8; header=present", "application/x-ndjson",
		"application/json; charset=utf-8", "application/problem+json"
	one, two := askAll, `{"parameters":["pages","traffic"],`+inMarch+`}`
	for _, c := range []struct {
		accept, body string
		status       int
		form         string
	}{
		{"", one, 200, js},
		{"*/*", one, 200, js},
		{"application/json, text/plain, */*", one, 200, js},
		{"image/png", one, 200, js},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", one, 200, js},
		{"application/json, text/csv", one, 200, js},
		{"text/csv;q=0.5, application/json", one, 200, js},
		{"text/csv;q=0", one, 200, js},
		{"text/csv", one, 200, csvType},
		{"TEXT/CSV", one, 200, csvType},
		{"text/*", one, 200, csvType},
		{"text/csv, */*", one, 200, csvType},
		{"text/csv, application/json;q=0.5", one, 200, csvType},
		{"application/x-ndjson", one, 200, lines},
		{"application/x-ndjson, text/csv;q=0.9", one, 200, lines},
		{"text/csv", two, 406, js},
		{"text/csv, application/json;q=0.5", two, 200, js},
		{"text/csv", "[" + one + "]", 406, js},
		{"text/csv", `{"parameters":["pages"],"totals":true,` + inMarch + `}`, 406, js},
		{"application/x-ndjson", `{"parameters":[{"name":"pages","totals":true}],` + inMarch + `}`, 406, js},
		{"text/csv, application/problem+json", two, 406, problem},
		{"text/csv", `{"parameters":["pagez"],` + inMarch + `}`, 400, js},
		{"text/csv", `{"parameters":["pagez"],` + inMarch + `}`, 400, js},
		{"application/problem+json", one, 200, js},
		{"application/problem+json", `{}`, 400, problem},
		{"application/json, application/problem+json", `{}`, 400, problem},
		{"application/json, application/problem+json;q=0.5", `{}`, 400, js},
	} {
		rec := w.send("POST", "/v1/query?website_id=site_a", "all", c.body, "Accept", c.accept)
		if got := rec.Header().Get("Content-Type"); rec.Code != c.status || got != c.form {
			t.Errorf("Accept %q, %s: status %d, %q; want %d, %q: %s", c.accept, c.body, rec.Code, got, c.status, c.form,
				rec.Body)
		}
		if rec.Code == 406 && !strings.Contains(rec.Body.String(), `"code":"NOT_ACCEPTABLE"`) {
			t.Errorf("Accept %q: %s", c.accept, rec.Body)
		}
		if vary := strings.Join(rec.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept") {
			t.Errorf("Accept %q: Vary: %s", c.accept, vary)
		}
	}
}

// TestFormsHaveTheSameRows compares the rows of each form with JSON, with and without remembered answers and responses.
func TestFormsHaveTheSameRows(t *testing.T) {
	for _, compare := range []string{"", `,"compare":"previous_period"`} {
		for _, kept := range []int64{-1, 1 << 20} {
			w := newVersioned(t, &versions{}, query.Config{EngineOptions: query.EngineOptions{ResultCache: kept}},
				func(cfg *Config) { cfg.ResponseCache = kept })
			body := `{"parameters":["pages"]` + compare + `,` + inMarch + `}`
			get := func(accept string) string {
				return w.send("POST", "/v1/query?website_id=site_a", "all", body, "Accept", accept).Body.String()
			}
			for range 2 { // then remembered
				compareForms(t, get("application/json"), get("text/csv"), get("application/x-ndjson"))
			}
		}
	}
}

// anyRow is a row of a query, as any JSON.
type anyRow map[string]any

func compareForms(t *testing.T, js, table, lines string) {
	t.Helper()
	var answer struct {
		Data []struct{ Data, Previous, Changes []anyRow }
	}
	if err := json.Unmarshal([]byte(js), &answer); err != nil {
		t.Fatal(err)
	}
	want := answer.Data[0]
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(records) != len(want.Data)+1 {
		t.Fatalf("%d records of CSV for %d rows, %v:\n%s", len(records), len(want.Data), err, table)
	}
	found := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if len(found) != len(want.Data) {
		t.Fatalf("%d lines for %d rows:\n%s", len(found), len(want.Data), lines)
	}
	for i, r := range want.Data {
		var line anyRow
		if err := json.Unmarshal([]byte(found[i]), &line); err != nil {
			t.Fatal(err)
		}
		if want.Previous != nil {
			line["previous"], line["changes"] = nil, nil
			r["previous"], r["changes"] = nil, nil
		}
		if got, err := json.Marshal(line); err != nil || string(got) != mustJSON(t, r) {
			t.Errorf("line %d is %s, want %s", i, got, mustJSON(t, r))
		}
		for j, name := range records[0] {
			of, column := r, name
			if rest, ok := strings.CutPrefix(name, "previous."); ok {
				of, column = want.Previous[i], rest
			} else if rest, ok := strings.CutPrefix(name, "changes."); ok {
				of, column = want.Changes[i], rest
			}
			text, isText := of[column].(string)
			if !isText {
				text = strings.TrimPrefix(mustJSON(t, of[column]), "null")
			}
			if records[i+1][j] != text {
				t.Errorf("row %d of CSV: %s is %q, want %q", i, name, records[i+1][j], text)
			}
		}
	}
	if want.Previous != nil != slices.Contains(records[0], "previous.visitors") {
		t.Errorf("columns %v", records[0])
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFormsHaveTheirOwnTags checks that each form, and each of its codings, is validated by its own tag alone.
func TestFormsHaveTheirOwnTags(t *testing.T) {
	w := newVersioned(t, &versions{}, query.Config{})
	const address = "/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-01&endDate=2026-03-02"
	forms := []string{"", "text/csv", "application/x-ndjson"}
	tags := map[string]string{}
	for _, form := range forms {
		tags[form] = w.send("GET", address, "all", "", "Accept", form).Header().Get("ETag")
	}
	for _, form := range forms {
		for _, of := range forms {
			want := map[bool]int{true: 304, false: 200}[form == of]
			if rec := w.send("GET", address, "all", "", "Accept", form, "If-None-Match", tags[of]); rec.Code != want {
				t.Errorf("Accept %q with the tag of %q: status %d, want %d", form, of, rec.Code, want)
			}
		}
	}
}

// TestFormsAreCompressed checks that CSV is compressed like JSON.
func TestFormsAreCompressed(t *testing.T) {
	w := newVersioned(t, &versions{}, query.Config{})
	const address = "/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-01&endDate=2026-03-02&compare=previous_period"
	rec := w.send("GET", address, "all", "", "Accept", "application/x-ndjson", "Accept-Encoding", "gzip")
	if rec.Header().Get("Content-Encoding") != "gzip" || !strings.HasSuffix(rec.Header().Get("ETag"), `-gzip"`) {
		t.Errorf("%v", rec.Header())
	}
}

// TestFailuresHaveNoRows checks that a parameter that fails fails the request for rows.
func TestFailuresHaveNoRows(t *testing.T) {
	w := newWorld(t)
	w.store.fail(errSecret)
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", askAll, "Accept", "text/csv")
	expect(t, rec, 500, "INTERNAL_SERVER_ERROR")
	rec = w.send("POST", "/v1/query?website_id=site_a", "all", askAll, "Accept", "application/problem+json, text/csv")
	for _, want := range []string{`"type":"https://`,
		`"title":"Something went wrong on our side","status":500,"detail":"`, `"success":false`,
		`"code":"INTERNAL_SERVER_ERROR"`, `"requestId":"req_`} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s lacks %s", rec.Body, want)
		}
	}
}
