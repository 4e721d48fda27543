package track

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		why, key, target, body string
		code                   int
		want                   string   // code of the answer
		fields                 []string // fields with mistakes
		kept                   *store.Identification
	}{
		{"without a key", "", "/identify?client_id=w1",
			`{"profileId":" u1 ","anonymousId":"anon_1","traits":{"name":"Ada","paid":true,"seats":1.5,"plan":null}}`,
			200, "", nil,
			&store.Identification{Website: "w1", Profile: "u1",
				Traits: map[string]any{"name": "Ada", "paid": true, "seats": 1.5, "plan": nil}}},
		{"without traits", "", "/identify?client_id=w1", `{"profileId":"u1","traits":null}`, 200, "", nil,
			&store.Identification{Website: "w1", Profile: "u1"}},
		{"with a key and the body's website", "all", "/identify",
			`{"profileId":"u1","websiteId":"w2","traits":{"n":7}}`, 200, "", nil,
			&store.Identification{Website: "w2", Profile: "u1", Traits: map[string]any{"n": json.Number("7")},
				Keyed: true}},
		{"with a key of one website", "one", "/identify", `{"profileId":"u1"}`, 200, "", nil,
			&store.Identification{Website: "w1", Profile: "u1", Keyed: true}},
		{"with a key of several websites, without a website", "all", "/identify", `{"profileId":"u1"}`, 400,
			"IDENTIFY_MISSING_WEBSITE_ID", nil, nil},
		{"another owner's website", "all", "/identify", `{"profileId":"u1","websiteId":"w9"}`, 403,
			"TRACK_WEBSITE_SCOPE_MISMATCH", nil, nil},
		{"neither key nor website", "", "/identify", `{"profileId":"u1"}`, 401, "TRACK_MISSING_CREDENTIALS", nil, nil},
		{"nobody", "", "/identify?client_id=w1", `{"traits":{}}`, 400, "INVALID_EVENT_SCHEMA", []string{"profileId"},
			nil},
		{"an id that is a program's mistake", "", "/identify?client_id=w1", `{"profileId":"undefined"}`, 400,
			"INVALID_EVENT_SCHEMA", []string{"profileId"}, nil},
		{"too many traits", "", "/identify?client_id=w1", `{"profileId":"u1","traits":{"big":1}}`, 400,
			"INVALID_EVENT_SCHEMA", []string{"traits"},
			&store.Identification{Website: "w1", Profile: "u1", Traits: map[string]any{"big": json.Number("1")}}},
		{"too many profiles", "", "/identify?client_id=w1", `{"profileId":"too many"}`, 403, "PROFILE_LIMIT_EXCEEDED",
			nil,
			&store.Identification{Website: "w1", Profile: "too many"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			var w world
			a := w.post(t, c.target, c.body, keyed(c.key)...)
			code, _ := a.body["code"].(string)
			fields := a.wrongFields()
			slices.Sort(fields)
			if a.code != c.code || code != c.want || !slices.Equal(fields, c.fields) {
				t.Errorf("%d %s", a.code, a.raw)
			}
			if a.code == 200 && a.raw != `{"status":"success","type":"identify"}`+"\n" {
				t.Errorf("response %s", a.raw)
			}
			var want []store.Identification
			if c.kept != nil {
				want = []store.Identification{*c.kept}
			}
			if diff := cmp.Diff(want, w.identified); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTraitsAreLeftOut(t *testing.T) {
	var w world
	a := w.post(t, "/identify?client_id=w1", `{"profileId":"u1","traits":{"a":{},"b":1e999,"c":"`+
		strings.Repeat("x", 256)+`","d":"Ada","`+strings.Repeat("k", 129)+`":1}}`)
	want := []store.Identification{{Website: "w1", Profile: "u1",
		Traits: map[string]any{"c": strings.Repeat("x", 255), "d": "Ada"}}}
	if d := cmp.Diff(want, w.identified); d != "" || a.code != 200 ||
		a.dropped() != "traits.a traits.b traits.c traits."+strings.Repeat("k", 121) {
		t.Errorf("%d %s %s", a.code, a.raw, d)
	}
	if a := w.post(t, "/identify?client_id=w1", `{"profileId":"u1","traits":[1]}`); a.code != 200 ||
		a.dropped() != "traits" {
		t.Errorf("%d %s", a.code, a.raw)
	}
}
