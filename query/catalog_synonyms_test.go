package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// TestSynonymsAreOfNamesThatExist: a synonym of a name that is gone would never be suggested.
func TestSynonymsAreOfNamesThatExist(t *testing.T) {
	types, err := NewRegistry(Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	typeNames, fieldNames := types.names()
	for _, of := range []struct {
		also  mistake.Synonyms
		names []string
	}{
		{typeSynonyms, typeNames},
		{nameSynonyms, slices.Concat(requestFields, parameterFields, filterFields, operatorNames(), calendar.Presets(), calendar.GrainNames(), compareNames(), fieldNames)},
	} {
		for word, names := range of.also {
			for _, name := range names {
				if !slices.Contains(of.names, name) {
					t.Errorf("%s means %s, which is not a name", word, name)
				}
			}
			if word != strings.ToLower(word) || strings.ContainsAny(word, "_- ") {
				t.Errorf("%q is not in lower case without separators: it is never found", word)
			}
		}
	}
}

func TestTypesAreSuggestedByMeaning(t *testing.T) {
	types, err := NewRegistry(Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		kind       store.SubjectKind
		name, want string
	}{
		{store.KindWebsite, "devices", "device_types"}, {store.KindWebsite, "referrer", "traffic"}, {store.KindWebsite, "visitors", "summary_metrics"},
		{store.KindWebsite, "operating_systems", "os_name"}, {store.KindWebsite, "page-views", "summary_metrics"}, {store.KindWebsite, "browsers", "browser_name"},
		{store.KindLink, "devices", "link_top_devices"}, {store.KindLink, "clicks", "link_total_clicks"}, {store.KindSchedule, "latency", "uptime_response_time_trends"},
		{store.KindWebsite, "summry", "summary"}, {store.KindWebsite, "page", "pages"}, {store.KindWebsite, "revenue", ""},
	} {
		v := resolver{types: types, access: Access{Subject: store.Subject{Kind: row.kind}}}
		e := unknownType(row.name, v.allowed())
		if e.Suggestion != row.want {
			t.Errorf("%s of a %s: %q is suggested, want %q", row.name, row.kind, e.Suggestion, row.want)
		}
		if row.want != "" && len(e.Message) > 300 {
			t.Errorf("%s: the message has %d bytes: %s", row.name, len(e.Message), e.Message)
		}
	}
}
