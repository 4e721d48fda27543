package ask

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseValues(t *testing.T) {
	for _, row := range []struct{ address, body string }{
		{"parameters=summary,pages&preset=last_30d&website_id=w1",
			`{"parameters":["summary","pages"],"preset":"last_30d"}`},
		{"parameters=summary&parameters=pages&preset=today", `{"parameters":["summary","pages"],"preset":"today"}`},
		{"parameters=pages&startDate=2024-01-01&endDate=2024-01-31&timezone=Europe/Berlin&limit=5&page=2&id=q",
			`{"parameters":["pages"],"startDate":"2024-01-01","endDate":"2024-01-31","timeZone":"Europe/Berlin","limit":5,"page":2,"id":"q"}`},
		{"parameters=pages&preset=today&timeZone=Asia/Tokyo&timezone=Europe/Berlin",
			`{"parameters":["pages"],"preset":"today","timeZone":"Europe/Berlin"}`},
		{"parameters=pages&preset=today&groupBy=country,device_type&sortBy=visitors&sortOrder=asc&granularity=hourly",
			`{"parameters":["pages"],"preset":"today","groupBy":["country","device_type"],"sortBy":"visitors","sortOrder":"asc","granularity":"hourly"}`},
		{`parameters=pages&preset=today&filters=[{"field":"path","op":"in","value":["/a,b",1]}]`,
			`{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":["/a,b",1]}]}`},
		{"parameters=pages&preset=today&limit=&filters=&id=", `{"parameters":["pages"],"preset":"today"}`},
	} {
		values, err := url.ParseQuery(row.address)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := Decode([]byte(row.body), 0)
		if err != nil || all[0].Errors != nil {
			t.Fatal(err, all)
		}
		got, errs := ParseValues(values)
		if errs != nil {
			t.Errorf("%s: %v", row.address, errs)
		}
		if diff := cmp.Diff(all[0].Request, got); diff != "" {
			t.Errorf("%s is not what the body says (-body +address):\n%s", row.address, diff)
		}
	}
}

func TestParseValuesTellsAllMistakes(t *testing.T) {
	values, err := url.ParseQuery(`parameter=pages&parameters=pages,&preset=today&preset=yesterday&limit=ten&page=0` +
		`&filters={"field":1}&sortOrder=down&groupBy=,&timezone=Nowhere&api_key=x`)
	if err != nil {
		t.Fatal(err)
	}
	_, errs := ParseValues(values)
	var at []string
	for _, e := range errs {
		at = append(at, e.Field)
	}
	want := []string{"parameters[1].name", "preset", "timezone", "limit", "page", "filters",
		"groupBy[0]", "groupBy[1]", "sortOrder", "api_key", "parameter"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("%v (-want +got):\n%s", errs, diff)
	}
	_, errs = ParseValues(url.Values{"parameters": {"pages"}, "preset": {"today"}, "filters": {`[{"field":`}})
	if len(errs) != 1 || errs[0].Field != "filters" {
		t.Errorf("filters that are no JSON: %v", errs)
	}
}
