package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestASingleQuery(t *testing.T) {
	w := newWorld(t)
	rec := w.send("POST", "/v1/query?website_id=site_a&timezone=Asia/Kathmandu", "all",
		`{"id":"q1","parameters":["pages",{"name":"sumary","id":"typo"}],"preset":"yesterday","timeZone":"Europe/Berlin","limit":7}`)
	expect(t, rec, 200, "")
	if !strings.HasSuffix(rec.Body.String(), "}\n") || strings.Count(rec.Body.String(), "\n") != 1 ||
		!strings.Contains(rec.Body.String(), `"/<0>"`) {
		t.Errorf("not compact, escaped for HTML, or without its one newline: %s", rec.Body)
	}
	body := object(t, rec)
	if diff := cmp.Diff(map[string]any{
		"parameters": []any{"pages", "sumary"}, "total_parameters": 2.0, "page": 1.0, "limit": 7.0,
		"filters_applied": 0.0,
		"startDate":       "2026-03-28", "endDate": "2026-03-28", "timezone": "Asia/Kathmandu", "granularity": "daily",
	}, body["meta"]); diff != "" {
		t.Error(diff)
	}
	data := body["data"].([]any)
	pages, typo := data[0].(map[string]any), data[1].(map[string]any)
	if body["success"] != true || body["queryId"] != "q1" || pages["success"] != true ||
		len(pages["data"].([]any)) != 7 {
		t.Errorf("body %s", rec.Body)
	}
	if typo["success"] != false || typo["parameter"] != "sumary" || typo["id"] != "typo" ||
		len(typo["data"].([]any)) != 0 ||
		!strings.Contains(typo["error"].(string), "summary") {
		t.Errorf("the unknown type: %v", typo)
	}
}

func TestGetAnswersAsPost(t *testing.T) {
	w := newWorld(t)
	filter := `[{"field":"country","op":"in","value":["DE","FR"]}]`
	get := w.send("GET", "/v1/query?"+
		url.Values{"website_id": {"site_a"}, "parameters": {"summary_metrics,pages"}, "preset": {"last_7d"},
			"timezone": {"Europe/Berlin"}, "filters": {filter}, "limit": {"5"}, "id": {"x"}}.Encode(), "all", "")
	post := w.send("POST", "/v1/query?website_id=site_a&timezone=Europe/Berlin", "all",
		`{"parameters":["summary_metrics","pages"],"preset":"last_7d","filters":`+filter+`,"limit":5,"id":"x"}`)
	expect(t, get, 200, "")
	if diff := cmp.Diff(post.Body.String(), get.Body.String()); diff != "" {
		t.Error(diff)
	}
}

func TestABatch(t *testing.T) {
	w := newWorld(t)
	rec := w.send("POST", "/v1/query?website_id=site_a&timezone=Asia/Tokyo", "all", `[
		{"id":"a","parameters":["pages"],"preset":"last_7d"},
		{"id":"b","parameters":["pages","summary"],"preset":"last_8d","limit":5,"filters":[{"field":"path","op":"like","value":"x"}]},
		{"parameters":["summary_metrics"],"startDate":"2026-03-01","endDate":"2026-03-02"}]`)
	expect(t, rec, 200, "")
	body := object(t, rec)
	results := body["results"].([]any)
	if body["success"] != true || body["batch"] != true || len(results) != 3 {
		t.Fatalf("body %s", rec.Body)
	}
	var ids []any
	for _, r := range results {
		ids = append(ids, r.(map[string]any)["queryId"])
	}
	if diff := cmp.Diff([]any{"a", "b", nil}, ids); diff != "" {
		t.Error(diff)
	}
	bad := results[1].(map[string]any)
	if bad["success"] != false || bad["code"] != "VALIDATION_ERROR" || len(bad["details"].([]any)) != 2 ||
		len(bad["data"].([]any)) != 0 {
		t.Errorf("the bad query: %v", bad)
	}
	if diff := cmp.Diff(map[string]any{"parameters": []any{"pages", "summary"}, "total_parameters": 2.0, "page": 1.0,
		"limit":           5.0,
		"filters_applied": 1.0, "startDate": "", "endDate": "", "timezone": "Asia/Tokyo", "granularity": "daily"},
		bad["meta"]); diff != "" {
		t.Error(diff)
	}
	for _, i := range []int{0, 2} {
		r := results[i].(map[string]any)
		if r["success"] != true || r["meta"].(map[string]any)["timezone"] != "Asia/Tokyo" {
			t.Errorf("query %d: %v", i, r)
		}
	}
}

func TestABatchKeepsItsOrder(t *testing.T) {
	w := newWorld(t)
	var queries []string
	for i := range 20 {
		queries = append(queries, fmt.Sprintf(`{"id":"q%d","parameters":["pages"],"preset":"last_7d"}`, i))
	}
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", "["+strings.Join(queries, ",")+"]")
	expect(t, rec, 200, "")
	for i, r := range object(t, rec)["results"].([]any) {
		if got := r.(map[string]any)["queryId"]; got != fmt.Sprintf("q%d", i) {
			t.Errorf("result %d belongs to query %v", i, got)
		}
	}
	expect(t, w.send("POST", "/v1/query?website_id=site_a", "all", "["+strings.Join(queries, ",")+","+queries[0]+"]"),
		400, "VALIDATION_ERROR")
}

func TestABatchThatFailsAltogether(t *testing.T) {
	w := newWorld(t)
	w.store.fail(fmt.Errorf("%w: %w", store.ErrUnavailable, errSecret))
	target := "/v1/query?website_id=site_a"
	expect(t, w.send("POST", target, "all", "["+oneQuery+","+oneQuery+"]"), 503, "SERVICE_UNAVAILABLE")
	expect(t, w.send("POST", target, "all", `[{"parameters":[]},`+oneQuery+`]`), 503, "SERVICE_UNAVAILABLE")
	expect(t, w.send("POST", target, "all", `[{"parameters":[]},{"parameters":[]}]`), 200, "")
	w.store.only = "summary_metrics"
	rec := w.send("POST", target, "all", `[{"parameters":["pages"],"preset":"today"},`+oneQuery+`]`)
	expect(t, rec, 200, "")
	second := object(t, rec)["results"].([]any)[1].(map[string]any)
	if second["code"] != "SERVICE_UNAVAILABLE" || strings.Contains(rec.Body.String(), "10.0.0.7") ||
		!strings.Contains(w.log.String(), "10.0.0.7") {
		t.Errorf("body %s, log %s", rec.Body, w.log)
	}
}

func TestAQueryThatIsTooMuch(t *testing.T) {
	w := newWorld(t)
	w.store.fail(fmt.Errorf("%w: %w", store.ErrTooMuch, errSecret))
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", oneQuery)
	expect(t, rec, 200, "")
	first := object(t, rec)["data"].([]any)[0].(map[string]any)
	if first["code"] != "VALIDATION_ERROR" || !strings.Contains(first["error"].(string), "shorter range") ||
		strings.Contains(rec.Body.String(), "10.0.0.7") || !strings.Contains(w.log.String(), "10.0.0.7") {
		t.Errorf("body %s, log %s", rec.Body, w.log)
	}
	expect(t, w.send("GET", "/v1/websites/site_a/analytics", "all", ""), 400, "VALIDATION_ERROR")
}

func TestTypesOfAKey(t *testing.T) {
	w := newWorld(t)
	rec := w.send("POST", "/v1/query?website_id=site_a", "pages",
		`{"parameters":["pages","summary_metrics"],"preset":"last_7d"}`)
	expect(t, rec, 200, "")
	data := object(t, rec)["data"].([]any)
	if data[0].(map[string]any)["success"] != true || data[1].(map[string]any)["code"] != "FORBIDDEN" {
		t.Errorf("a key for pages alone: %s", rec.Body)
	}
}

func TestCompile(t *testing.T) {
	w := newWorld(t)
	body := `{"id":"q","parameters":["pages","nonsense"],"preset":"last_7d","filters":[{"field":"path","op":"eq","value":"/x'y"}]}`
	rec := w.send("POST", "/v1/query/compile?website_id=site_a", "all", body)
	expect(t, rec, 200, "")
	got := object(t, rec)
	pages := got["data"].([]any)[0].(map[string]any)
	if got["queryId"] != "q" || pages["success"] != true || !strings.Contains(pages["sql"].(string), "SELECT") ||
		pages["plan"] == "" {
		t.Errorf("body %s", rec.Body)
	}
	if sql := pages["sql"].(string); strings.Contains(sql, "x'y") ||
		!strings.Contains(rec.Body.String(), `"value":"/x'y"`) && !strings.Contains(rec.Body.String(), `/x'y`) {
		t.Errorf("the caller's text is not an argument: %s", rec.Body)
	}
	if pages["source"] != "statement" || pages["why"] != "off" { // the store has no states
		t.Errorf("the source is %v, because of %v", pages["source"], pages["why"])
	}
	if bad := got["data"].([]any)[1].(map[string]any); bad["success"] != false || bad["code"] != "UNKNOWN_TYPE" ||
		bad["error"] == "" {
		t.Errorf("the unknown type: %v", bad)
	}
	batch := w.send("POST", "/v1/query/compile?website_id=site_a", "all", "["+body+","+body+"]")
	if results, _ := object(t, batch)["results"].([]any); len(results) != 2 {
		t.Errorf("a batch: %s", batch.Body)
	}
	expect(t, w.send("POST", "/v1/query/compile?website_id=site_a", "all", `{"parameters":[]}`), 400,
		"VALIDATION_ERROR")
	expect(t, w.send("POST", "/v1/query/compile?website_id=site_a", "rows", body), 403, "FORBIDDEN")
	expect(t, w.send("POST", "/v1/query/compile?link_id=link_a", "links",
		`{"parameters":["link_total_clicks"],"preset":"today"}`), 403, "FORBIDDEN")
	if n := w.store.asked.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
}

func TestMandatoryFiltersReachTheStore(t *testing.T) {
	w := newWorld(t)
	bound := func(key string) bool {
		expect(t, w.send("POST", "/v1/query?website_id=site_a", key, oneQuery), 200, "")
		return slices.ContainsFunc(w.store.last.Load().Args, func(a dialect.Arg) bool {
			return strings.Contains(fmt.Sprint(a.Value), "DE")
		})
	}
	if !bound("rows") || bound("all") {
		t.Error("the key's filter must be an argument of the statement only for that key")
	}
}

func TestWebsites(t *testing.T) {
	w := newWorld(t)
	rec := w.send("GET", "/v1/query/websites", "site_a", "")
	want := `{"success":true,"websites":[{"id":"site_a","name":"Site <site_a>","domain":"site_a.example.com","isPublic":false,"createdAt":"2025-01-02T02:04:05.006Z"}],"total":1}` + "\n"
	if diff := cmp.Diff(want, rec.Body.String()); diff != "" {
		t.Error(diff)
	}
	for key, total := range map[string]float64{"all": 2, "nothing": 0} {
		rec := w.send("GET", "/v1/query/websites", key, "")
		if body := object(t, rec); body["total"] != total || len(body["websites"].([]any)) != int(total) {
			t.Errorf("%s: %s", key, rec.Body)
		}
	}
	w.dir.err = errors.New("x")
	expect(t, w.send("GET", "/v1/query/websites", "all", ""), 500, "INTERNAL_SERVER_ERROR")
}

func TestTypes(t *testing.T) {
	w := newWorld(t)
	plain := object(t, w.send("GET", "/v1/query/types", "", ""))
	configs := plain["configs"].(map[string]any)
	if bounds := plain["bounds"].(map[string]any); bounds["goals"] != 20.0 || bounds["minSteps"] != 2.0 ||
		bounds["steps"] != 10.0 || bounds["window"] != "90d" ||
		bounds["metrics"] != 10.0 || bounds["dimensions"] != 4.0 || bounds["conditions"] != 50.0 ||
		bounds["nesting"] != 5.0 || bounds["didDays"] != 366.0 {
		t.Errorf("bounds %v", bounds)
	}
	if types := plain["types"].([]any); len(types) == 0 || len(types) != len(configs) ||
		len(plain["presets"].([]any)) != 21 {
		t.Fatalf("%d types, %d configs", len(types), len(configs))
	}
	keys := []string{"allowedFilters", "comparable", "customizable", "defaultLimit", "granularities", "groupable",
		"limits", "operators",
		"propertyOperators", "publicAccess", "sortable", "subject"}
	summary := configs["summary"].(map[string]any)
	for name, want := range map[string]any{"subject": "website_id", "comparable": true,
		"granularities": []any{"minute", "hourly", "daily", "weekly", "monthly"},
		"limits":        map[string]any{"limit": 10_000.0, "hourlyDays": 30.0, "minuteHours": 6.0},
		"operators": []any{"eq", "ne", "contains", "not_contains", "starts_with", "not_starts_with", "ends_with",
			"not_ends_with", "matches", "not_matches", "in", "not_in"},
		"propertyOperators": []any{"eq", "ne", "contains", "not_contains", "starts_with", "not_starts_with",
			"ends_with", "not_ends_with", "matches", "not_matches", "in", "not_in",
			"gt", "gte", "lt", "lte", "exists", "not_exists"}} {
		if diff := cmp.Diff(want, summary[name]); diff != "" {
			t.Errorf("%s of summary: %s", name, diff)
		}
	}
	if all := configs["errors"].(map[string]any)["propertyOperators"].([]any); len(all) != 0 {
		t.Errorf("errors may be filtered by properties with %v", all)
	}
	if live := configs["active_stats"].(map[string]any); live["comparable"] != false ||
		configs["uptime_overview"].(map[string]any)["subject"] != "schedule_id" {
		t.Errorf("active_stats: %v", live)
	}
	goals := configs["goals"].(map[string]any)
	if diff := cmp.Diff(map[string]any{"needs": []any{"goals"},
		"limits": map[string]any{"limit": 10_000.0, "cost": 5.0}},
		map[string]any{"needs": goals["needs"], "limits": goals["limits"]}); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]any{"top_pages": "visitors", "goals": "visitors", "pages": "visitors",
		"errors": "count", "summary": nil, "funnel": nil, "paths": nil, "sessions": nil, "vitals_overview": nil} {
		if got := configs[name].(map[string]any)["difference"]; got != want {
			t.Errorf("rows of %s are ordered by the difference of %v, want %v", name, got, want)
		}
	}
	for name, config := range configs {
		required := config.(map[string]any)["requiredFilter"]
		if (required == "session_id") != (name == "session_events") {
			t.Errorf("%s requires a filter on %v", name, required)
		}
		got := slices.DeleteFunc(sortedKeys(config), func(key string) bool {
			return slices.Contains([]string{"requiredFilter", "needs", "mayHave", "cost", "difference"}, key)
		})
		if diff := cmp.Diff(keys, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	meta := object(t, w.send("GET", "/v1/query/types?include_meta=true", "", ""))["configs"].(map[string]any)
	for name, config := range meta {
		m := config.(map[string]any)["meta"].(map[string]any)
		got := slices.DeleteFunc(sortedKeys(m), func(key string) bool { return key == "several_fields" })
		if diff := cmp.Diff([]string{"category", "default_order", "default_visualization", "description",
			"outputFields", "output_fields",
			"supports_granularity", "tags", "title"}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(m["outputFields"].([]any)) == 0 || len(m["outputFields"].([]any)) != len(m["output_fields"].([]any)) ||
			m["description"] == "" {
			t.Errorf("%s: %v", name, m)
		}
	}
	for _, no := range []string{"", "?include_meta=false", "?include_meta=", "?other=1"} {
		if got := object(t, w.send("GET", "/v1/query/types"+no, "", "")); cmp.Diff(plain, got) != "" {
			t.Errorf("include_meta=%q changes the response", no)
		}
	}
	expect(t, w.send("GET", "/v1/query/types?include_meta=maybe", "", ""), 400, "VALIDATION_ERROR")
	expect(t, w.send("GET", "/v1/query/types?include_meta=true&include_meta=false", "", ""), 400, "VALIDATION_ERROR")
	if e := w.trail.take(); len(e) != 0 {
		t.Errorf("a public route is audited: %+v", e)
	}
}

// TestSizeOfAnAnswer checks that only the parameter that would make a response too large fails, also in a batch. The
// response must equal the output of encoding/json.
func TestSizeOfAnAnswer(t *testing.T) {
	w := newWorld(t, func(cfg *Config) {
		var err error
		if cfg.Engine, err = query.New(query.Config{Store: &cannedStore{}, Now: cfg.Now,
			EngineOptions: query.EngineOptions{MaxAnswer: 2500}}); err != nil {
			t.Fatal(err)
		}
	})
	const one = `{"parameters":["pages","pages","pages","pages"],"startDate":"2026-03-01","endDate":"2026-03-02"}`
	for _, body := range []string{one, "[" + one + "," + one + "]"} {
		rec := w.send("POST", "/v1/query?website_id=site_a", "all", body)
		expect(t, rec, 200, "")
		text := rec.Body.String()
		if good, large := strings.Count(text, `"success":true,"data":[{`),
			strings.Count(text, `"code":"ANSWER_TOO_LARGE"`); good < 1 || large < 1 {
			t.Errorf("%d parameters are answered, %d are too large: %s", good, large, text)
		}
	}
	for body, status := range map[string]int{one: 400, "[" + one + "," + one + "]": 200} {
		rec := w.send("POST", "/v1/query/compile?website_id=site_a", "all", body)
		if rec.Code != status || !strings.Contains(rec.Body.String(), "The answer would be larger than") ||
			rec.Body.Len() > 2*2500 {
			t.Errorf("compile without a budget: %d, %d bytes: %s", rec.Code, rec.Body.Len(), rec.Body)
		}
	}
	w = newWorld(t)
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", "["+one+
		`,{"id":"a\"data\":null","parameters":["nonsense"],"preset":"today"},`+one+"]")
	var again any
	if err := json.Unmarshal(rec.Body.Bytes(), &again); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	if results := again.(map[string]any)["results"].([]any); len(results) != 3 ||
		len(results[2].(map[string]any)["data"].([]any)) != 4 {
		t.Errorf("%s", rec.Body)
	}
}

// TestComparison checks that the compared rows are in the response, and that it equals the output of encoding/json.
func TestComparison(t *testing.T) {
	w := newWorld(t)
	body := `{"parameters":["summary_metrics",{"name":"pages","limit":3,"compare":"previous_year"},{"name":"summary","preset":"today"},"sessions"],` +
		`"preset":"yesterday","compare":"previous_period"}`
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", body)
	expect(t, rec, 200, "")
	var got struct {
		Data []struct {
			Data, Previous, Changes []map[string]any
			Meta                    struct {
				Until, PartialFrom string
				Partial            bool
				Previous           struct{ Compare, StartDate, EndDate, From, To string }
			}
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"previous_period 2026-03-27..2026-03-27", "previous_year 2025-03-28..2025-03-28",
		"previous_period 2026-03-28..2026-03-28", " .."} {
		d := got.Data[i]
		period := fmt.Sprintf("%s %s..%s", d.Meta.Previous.Compare, d.Meta.Previous.StartDate, d.Meta.Previous.EndDate)
		if period != want || want != " .." && (len(d.Previous) != len(d.Data) || len(d.Changes) != len(d.Data)) {
			t.Errorf("parameter %d: period %s, want %s; %d rows, %d compared rows and %d changes", i, period, want,
				len(d.Data), len(d.Previous), len(d.Changes))
		}
	}
	if today := got.Data[2].Meta; !today.Partial || today.Until != "2026-03-29T12:00:00.000Z" ||
		got.Data[0].Meta.Partial {
		t.Errorf("today must be partial: %+v", today)
	}
	if got.Data[2].Data[0]["date"] != "2026-03-29" || got.Data[2].Previous[0]["date"] != "2026-03-28" {
		t.Errorf("compared rows %v of rows %v", got.Data[2].Previous, got.Data[2].Data)
	}
	hourly := w.send("GET", "/v1/query?website_id=site_a&parameters=summary&preset=today&granularity=hourly&compare=previous_period", "all", "")
	if err := json.Unmarshal(hourly.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if at := got.Data[0].Meta.PartialFrom; at != "2026-03-29 12:00:00" || got.Data[0].Previous[12] != nil ||
		got.Data[0].Previous[11] == nil {
		t.Errorf("future rows from %s, want 12:00; compared rows %v", at, got.Data[0].Previous[11:13])
	}
}

// panicking is a store whose list of days panics for January.
type panicking struct{ value error }

func (p panicking) Days(_ context.Context, _ store.Subject, from, _ time.Time) ([]store.Day, error) {
	if from.Before(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)) {
		panic(p.value)
	}
	return nil, nil
}

// A part of the host that breaks the connection does so also in one query of a batch, although another succeeds. Any
// other panic is an error of its query.
func TestABatchBreaksTheConnectionForItsHost(t *testing.T) {
	send := func(value error) (rec *httptest.ResponseRecorder, broken error) {
		w := newVersioned(t, panicking{value}, query.Config{})
		defer func() { broken, _ = recover().(error) }()
		return w.send("POST", "/v1/query?website_id=site_a", "all",
			`[{"parameters":["pages"],"startDate":"2026-03-01","endDate":"2026-03-02"},
			{"parameters":["pages"],"startDate":"2026-01-02","endDate":"2026-01-03"}]`), nil
	}
	if rec, broken := send(http.ErrAbortHandler); !errors.Is(broken, http.ErrAbortHandler) {
		t.Errorf("http.ErrAbortHandler: %v, and the panic %v", rec, broken)
	}
	if rec, broken := send(errors.New("a fault of the host")); broken != nil || rec.Code != http.StatusOK ||
		!strings.Contains(rec.Body.String(), `"code":"INTERNAL_SERVER_ERROR"`) {
		t.Errorf("another panic: %v, and the panic %v", rec, broken)
	}
}
