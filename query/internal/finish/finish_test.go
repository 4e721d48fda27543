package finish

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// TestResponseJSON pins the body of an answer, one parameter good and one failed.
func TestResponseJSON(t *testing.T) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
	req := ask.Request{ID: "q1",
		Parameters: []ask.Parameter{{Name: "pages", ID: "p"}, {Name: "summary"}, {Name: "nope"}},
		StartDate:  "2024-03-30", EndDate: "2024-03-31", TimeZone: "Europe/Berlin",
		Options: ask.Options{Filters: []ask.Filter{{Field: "path", Op: ask.Ne, Values: []string{"/"}}}}}
	found, errs := plan.Resolve(types, access, req, time.Unix(2_000_000_000, 0), nil)
	if errs != nil {
		t.Fatal(errs)
	}
	pages, series := found.Parameters[0].Plan, found.Parameters[1].Plan
	resp := answer.Response{Success: true, QueryID: req.ID, Meta: MetaOf(&req, found.Range, found.Grain),
		Data: []answer.Result{
			{Parameter: "pages", ID: "p", Success: true, Meta: ResultMeta(pages, 1, true),
				Data: answer.NewTable(1,
					[]answer.Cells{{Output: &catalog.Output{Name: "path", Format: catalog.String},
						Column: texts("/a?<b>&c")}})},
			{Parameter: "summary", Success: true, Meta: ResultMeta(series, 0, false)},
			Failure(&found.Parameters[2], &ask.Error{Code: ask.UnknownType, Message: "no such type"}),
		}}
	got, err := json.MarshalIndent(resp, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "success": true,
 "queryId": "q1",
 "data": [
  {
   "parameter": "pages",
   "id": "p",
   "success": true,
   "data": [
    {
     "path": "/a?\u003cb\u003e\u0026c"
    }
   ],
   "meta": {
    "from": "2024-03-29T23:00:00.000Z",
    "to": "2024-03-31T22:00:00.000Z",
    "timezone": "Europe/Berlin",
    "granularity": "daily",
    "limit": 100,
    "rows": 1,
    "hasMore": true
   }
  },
  {
   "parameter": "summary",
   "success": true,
   "data": [],
   "meta": {
    "from": "2024-03-29T23:00:00.000Z",
    "to": "2024-03-31T22:00:00.000Z",
    "timezone": "Europe/Berlin",
    "granularity": "daily",
    "limit": null,
    "rows": 0,
    "hasMore": false
   }
  },
  {
   "parameter": "nope",
   "success": false,
   "data": [],
   "error": "no such type",
   "code": "UNKNOWN_TYPE"
  }
 ],
 "meta": {
  "parameters": [
   "pages",
   "summary",
   "nope"
  ],
  "total_parameters": 3,
  "page": 1,
  "limit": 100,
  "filters_applied": 1,
  "startDate": "2024-03-30",
  "endDate": "2024-03-31",
  "timezone": "Europe/Berlin",
  "granularity": "daily"
 }
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}
