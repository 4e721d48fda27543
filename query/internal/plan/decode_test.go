package plan

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// Go hosts make requests without Decode. Resolve makes the same checks, and checks values that a body cannot have.
func TestResolveChecksRequests(t *testing.T) {
	number := func(n int) *int { return &n }
	good := ask.Request{Parameters: []ask.Parameter{{Name: "pages"}}, Options: ask.Options{Preset: "today"}}
	for _, row := range []struct {
		field  string
		change func(q *ask.Request)
	}{
		{"parameters", func(q *ask.Request) { q.Parameters = slices.Repeat(q.Parameters, 51) }},
		{"limit", func(q *ask.Request) { q.Limit = number(0) }},
		{"page", func(q *ask.Request) { q.Page = -1 }},
		{"filters[0].value", func(q *ask.Request) {
			q.Filters = []ask.Filter{{Field: "path", Op: ask.Eq,
				Values: nil}}
		}},
		{"filters[0].value", func(q *ask.Request) {
			q.Filters = []ask.Filter{{Field: "path", Op: ask.Eq, Values: []string{"a", "b"}}}
		}},
		{"filters[0].value", func(q *ask.Request) {
			q.Filters = []ask.Filter{{Field: "path", Op: ask.Eq,
				Values: []string{"\xff"}}}
		}},
	} {
		q := good
		row.change(&q)
		access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
		_, errs := Resolve(smallRegistry(), access, q, time.Unix(0, 0), nil)
		if len(errs) != 1 || errs[0].Field != row.field || errs[0].Code != ask.Invalid {
			t.Errorf("%s: %v", row.field, errs)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"parameters":["pages",{"name":"summary","start_date":"2024-01-01"}],"preset":"today","limit":5,"page":1}`,
		`[{"parameters":["pages"],"startDate":"2024-01-01","endDate":"2024-01-31","filters":[{"field":"path","op":"in","value":["/a",1,true,null]}]}]`,
		`{"parameters":["pages"],"preset":"today","filters":[{"or":[{"field":"path","op":"matches","value":"(?i)^/a\\d{2}|b$"},{"not":{"and":[{"field":"country","op":"not_ends_with","value":"y"}]}}]}]}`,
		`{"filters":[{"not":{"not":{"not":{"not":{"not":{"not":{"or":[]}}}}}}},{"and":null,"or":[null],"field":"path"}]}`,
		`{"parameters":["pages"],"preset":"today","filters":[{"did":{"event":{"op":"matches","value":"^sign(up|in)$"},"filters":[{"or":[{"field":"property:plan","op":"exists"},{"field":"path","op":"ne","value":""}]}],"in":"range"}},{"not":{"did":{"click":"https://a.example","in":"session"}}}]}`,
		`{"parameters":["pages"],"preset":"today","filters":[{"field":"property:total","op":"gte","value":12.5},{"field":"property:a.b ü","op":"not_exists"},{"field":"property:","op":"eq","value":""},{"field":"path","op":"matches","value":"(("}]}`,
		`{"parameters":[{"name":"goals","goals":[{"name":"a","event":"x","value":"total","filters":[{"did":{"page":"/"}}]}]},{"name":"funnel","steps":[{"page":"/"},{"click":{"op":"in","value":["a","b"]}}],"window":"90d","within":"session"}],"preset":"all_time"}`,
		`{"groupBy":["country"],"sortBy":"x","sortOrder":"desc","granularity":"hour","timeZone":"Europe/Berlin","id":"q"}`,
		`{"limit":1e308,"page":-0,"filters":{},"a":{"b":[{}]}}`, "[[[[", "{\"id\":\"\xff\"}", "\x00", "nul",
		`{"a":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	registry := smallRegistry()
	access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
	now := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		all, _, err := ask.Decode(body, 0)
		if (err == nil) != (len(all) > 0) {
			t.Fatalf("%d queries and %v", len(all), err)
		}
		for _, d := range all {
			if d.Errors == nil && goodParameters(d.Request) {
				checkRoundTrip(t, d.Request)
			}
			found, errs := Resolve(registry, access, d.Request, now, nil)
			if d.Errors == nil && errs == nil && len(found.Parameters) != len(d.Request.Parameters) {
				t.Fatalf("%d prepared of %d parameters", len(found.Parameters), len(d.Request.Parameters))
			}
		}
		_, _ = ask.ParseValues(url.Values{"filters": {string(body)}, string(body): {string(body)},
			"limit": {string(body)}})
	})
}

// goodParameters reports whether no parameter of q has a mistake that fails it alone.
func goodParameters(q ask.Request) bool {
	var list ask.Issues
	for i := range q.Parameters {
		ask.CheckParameter(&q.Parameters[i], i, &list)
	}
	return len(list.Errors) == 0
}

// checkRoundTrip tests that the JSON of a request without mistakes is read as a request with the same JSON: no group,
// action or pattern is lost or read as another.
func checkRoundTrip(t *testing.T, q ask.Request) {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := ask.Decode(text, 0)
	if err != nil || len(all) != 1 || all[0].Errors != nil {
		t.Fatalf("%s is not read back: %v %v", text, err, all)
	}
	if again, err := json.Marshal(all[0].Request); err != nil || !bytes.Equal(again, text) {
		t.Fatalf("%s is read as %s, %v", text, again, err)
	}
}
