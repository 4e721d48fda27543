package plan

import (
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/store"
)

func TestTypesAreSuggestedByMeaning(t *testing.T) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		kind       store.SubjectKind
		name, want string
	}{
		{store.KindWebsite, "devices", "device_types"}, {store.KindWebsite, "referrer", "traffic"},
		{store.KindWebsite, "visitors", "summary_metrics"},
		{store.KindWebsite, "operating_systems", "os_name"}, {store.KindWebsite, "page-views", "summary_metrics"},
		{store.KindWebsite, "browsers", "browser_name"},
		{store.KindLink, "devices", "link_top_devices"}, {store.KindLink, "clicks", "link_total_clicks"},
		{store.KindSchedule, "latency", "uptime_response_time_trends"},
		{store.KindWebsite, "summry", "summary"}, {store.KindWebsite, "page", "pages"},
		{store.KindWebsite, "revenue", "goals"},
		{store.KindWebsite, "cohorts", "retention"}, {store.KindWebsite, "user-flow", "paths"},
	} {
		v := resolver{types: types, access: ask.Access{Subject: store.Subject{Kind: row.kind}}}
		e := types.NoSuchType(row.name, v.allowed())
		if e.Suggestion != row.want {
			t.Errorf("%s of a %s: %q is suggested, want %q", row.name, row.kind, e.Suggestion, row.want)
		}
		if row.want != "" && len(e.Message) > 300 {
			t.Errorf("%s: the message has %d bytes: %s", row.name, len(e.Message), e.Message)
		}
	}
}
