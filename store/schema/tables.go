package schema

import (
	"database/sql"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

var tables = [NumTables]Table{events(), failures(), vitals(), spans(), visits(), checks(), blocked()}

func events() Table {
	t := begin(Events, "events", store.KindWebsite, func(b *store.Batch) *[]store.Event { return &b.Events },
		func(r Row) head {
			e := r.event()
			return head{&e.Website, &e.ID, &e.Imports, &e.Time, e.Keyed}
		},
		website(func(r Row) *store.Identity { return &r.event().Identity },
			func(r Row) *store.Agent { return &r.event().Agent },
			func(r Row) *string { return &r.event().Path }),
		eventColumns())
	t.kind = func(r Row) uint8 { return IdentityKind(r.event().Kind) }
	return t
}

func eventColumns() []Column {
	return []Column{
		small("kind", store.Click, func(r Row) *store.EventKind { return &r.event().Kind }).asKey(),
		lowCardinality("name", func(r Row) *string { return &r.event().Name }),
		compressed("title", func(r Row) *string { return &r.event().Title }),
		compressed("referrer", func(r Row) *string { return &r.event().Referrer }),
		lowCardinality("referrer_domain", func(r Row) *string { return &r.event().ReferrerDomain }),
		letters("referrer_letters", func(r Row) string { return r.event().ReferrerDomain }),
		lowCardinality("campaign_kind", func(r Row) *string { return &r.event().CampaignKind }),
		lowCardinality("utm_source", func(r Row) *string { return &r.event().UTMSource }),
		lowCardinality("utm_medium", func(r Row) *string { return &r.event().UTMMedium }),
		lowCardinality("utm_campaign", func(r Row) *string { return &r.event().UTMCampaign }),
		lowCardinality("utm_term", func(r Row) *string { return &r.event().UTMTerm }),
		lowCardinality("utm_content", func(r Row) *string { return &r.event().UTMContent }),
		text("gclid", func(r Row) *string { return &r.event().GCLID }),
		lowCardinality("language", func(r Row) *string { return &r.event().Language }),
		lowCardinality("timezone", func(r Row) *string { return &r.event().Timezone }),
		lowCardinality("screen_resolution", func(r Row) *string { return &r.event().Screen }),
		lowCardinality("viewport_size", func(r Row) *string { return &r.event().Viewport }),
		measure("load_time", func(r Row) *store.Measure { return &r.event().LoadTime }),
		measure("dom_ready_time", func(r Row) *store.Measure { return &r.event().DOMReadyTime }),
		measure("ttfb", func(r Row) *store.Measure { return &r.event().TTFB }),
		measure("time_on_page", func(r Row) *store.Measure { return &r.event().TimeOnPage }),
		measure("scroll_depth", func(r Row) *store.Measure { return &r.event().ScrollDepth }),
		measure("interactions", func(r Row) *store.Measure { return &r.event().Interactions }),
		lowCardinality("namespace", func(r Row) *string { return &r.event().Namespace }),
		lowCardinality("source", func(r Row) *string { return &r.event().Source }),
		jsonObject("properties", func(r Row) *string { return &r.event().Properties }),
		compressed("href", func(r Row) *string { return &r.event().Href }),
		compressed("text", func(r Row) *string { return &r.event().Text }),
	}
}

func failures() Table {
	return begin(Errors, "errors", store.KindWebsite, func(b *store.Batch) *[]store.Error { return &b.Errors },
		func(r Row) head {
			e := r.error()
			return head{&e.Website, &e.ID, &e.Imports, &e.Time, e.Keyed}
		},
		website(func(r Row) *store.Identity { return &r.error().Identity },
			func(r Row) *store.Agent { return &r.error().Agent },
			func(r Row) *string { return &r.error().Path }),
		[]Column{
			compressed("message", func(r Row) *string { return &r.error().Message }),
			lowCardinality("error_type", func(r Row) *string { return &r.error().ErrorType }),
			lowCardinality("filename", func(r Row) *string { return &r.error().Filename }),
			measure("line", func(r Row) *store.Measure { return &r.error().Line }),
			measure("col", func(r Row) *store.Measure { return &r.error().Col }),
			compressed("stack", func(r Row) *string { return &r.error().Stack }),
		})
}

func vitals() Table {
	metric := lowCardinality("metric_name", func(r Row) *string { return &r.sample().Metric }).asKey()
	value := integer("value", func(r Row) *int64 { return &r.sample().Value })
	metric.ofSample, value.ofSample = true, true
	t := begin(Vitals, "vitals", store.KindWebsite, func(b *store.Batch) *[]store.Vital { return &b.Vitals },
		func(r Row) head {
			v := r.vital()
			return head{&v.Website, &v.ID, &v.Imports, &v.Time, v.Keyed}
		},
		website(func(r Row) *store.Identity { return &r.vital().Identity },
			func(r Row) *store.Agent { return &r.vital().Agent },
			func(r Row) *string { return &r.vital().Path }),
		[]Column{metric, value})
	t.rows = func(r Row) int { return len(r.vital().Samples) }
	t.add = func(b *store.Batch) { b.Vitals = append(b.Vitals, store.Vital{Samples: make([]store.Sample, 1)}) }
	return t
}

func spans() Table {
	return begin(Spans, "spans", store.KindWebsite, func(b *store.Batch) *[]store.Span { return &b.Spans },
		func(r Row) head {
			s := r.span()
			return head{&s.Website, &s.ID, &s.Imports, &s.Time, s.Keyed}
		},
		website(func(r Row) *store.Identity { return &r.span().Identity },
			func(r Row) *store.Agent { return &r.span().Agent },
			func(r Row) *string { return &r.span().Path }),
		[]Column{
			lowCardinality("exit_type", func(r Row) *string { return &r.span().ExitType }),
			measure("page_index", func(r Row) *store.Measure { return &r.span().PageIndex }),
			measure("time_on_page", func(r Row) *store.Measure { return &r.span().TimeOnPage }),
			measure("active_time", func(r Row) *store.Measure { return &r.span().ActiveTime }),
			measure("first_interaction", func(r Row) *store.Measure { return &r.span().FirstInteraction }),
			measure("max_scroll_depth", func(r Row) *store.Measure { return &r.span().MaxScrollDepth }),
			integer("scrolls", func(r Row) *int64 { return &r.span().Scrolls }),
			integer("clicks", func(r Row) *int64 { return &r.span().Clicks }),
			integer("keys", func(r Row) *int64 { return &r.span().Keys }),
			integer("interactions", func(r Row) *int64 { return &r.span().Interactions }),
			integer("copies", func(r Row) *int64 { return &r.span().Copies }),
			integer("rage_clicks", func(r Row) *int64 { return &r.span().RageClicks }),
			integer("dead_clicks", func(r Row) *int64 { return &r.span().DeadClicks }),
			integer("form_fields", func(r Row) *int64 { return &r.span().FormFields }),
			integer("form_submits", func(r Row) *int64 { return &r.span().FormSubmits }),
			integer("errors", func(r Row) *int64 { return &r.span().Errors }),
		})
}

func visits() Table {
	return begin(Visits, "visits", store.KindLink, func(b *store.Batch) *[]store.Visit { return &b.Visits },
		func(r Row) head {
			v := r.visit()
			return head{&v.Link, &v.ID, &v.Imports, &v.Time, false}
		},
		[]Column{
			compressed("referrer", func(r Row) *string { return &r.visit().Referrer }),
			lowCardinality("referrer_domain", func(r Row) *string { return &r.visit().ReferrerDomain }),
			letters("referrer_letters", func(r Row) string { return r.visit().ReferrerDomain }),
		},
		device(func(r Row) *store.Agent { return &r.visit().Agent }))
}

func checks() Table {
	return begin(Checks, "checks", store.KindSchedule, func(b *store.Batch) *[]store.Check { return &b.Checks },
		func(r Row) head {
			c := r.check()
			return head{&c.Schedule, &c.ID, &c.Imports, &c.Time, false}
		},
		[]Column{
			lowCardinality("url", func(r Row) *string { return &r.check().URL }),
			small("status", store.Maintenance, func(r Row) *store.Status { return &r.check().Status }),
			integer("http_code", func(r Row) *int64 { return &r.check().HTTPCode }),
			measure("ttfb", func(r Row) *store.Measure { return &r.check().TTFB }),
			measure("total", func(r Row) *store.Measure { return &r.check().Total }),
			lowCardinality("probe_region", func(r Row) *string { return &r.check().Region }),
			maybeInstant("ssl_expiry", func(r Row) *sql.Null[time.Time] { return &r.check().SSLExpiry }),
			maybeBool("ssl_valid", func(r Row) *sql.Null[bool] { return &r.check().SSLValid }),
			compressed("error", func(r Row) *string { return &r.check().Error }),
		})
}

func blocked() Table {
	return begin(Blocked, "blocked", store.KindWebsite, func(b *store.Batch) *[]store.Blocked { return &b.Blocked },
		func(r Row) head {
			o := r.blocked()
			return head{&o.Website, &o.ID, &o.Imports, &o.Time, false}
		},
		[]Column{
			lowCardinality("reason", func(r Row) *string { return &r.blocked().Reason }),
			lowCardinality("bot_name", func(r Row) *string { return &r.blocked().Bot }),
			integer("requests", func(r Row) *int64 { return &r.blocked().Requests }),
		})
}

// website returns the columns shared by the tables of websites.
func website(identity func(Row) *store.Identity, agent func(Row) *store.Agent, path func(Row) *string) []Column {
	return append(append([]Column{
		text("session_id", func(r Row) *string { return &identity(r).SessionID }),
		text("anonymous_id", func(r Row) *string { return &identity(r).AnonymousID }),
		text("profile_id", func(r Row) *string { return &identity(r).ProfileID }),
		flag("keyed", func(r Row) *bool { return &identity(r).Keyed }).asKey(),
		{Name: "visitor", Kind: Text, unread: true, derived: func(r Row) string { return identity(r).Visitor() }},
	}, device(agent)...), lowCardinality("path", path))
}

// device returns the columns that describe the sender.
func device(agent func(Row) *store.Agent) []Column {
	return []Column{
		lowCardinality("browser_name", func(r Row) *string { return &agent(r).BrowserName }),
		lowCardinality("browser_version", func(r Row) *string { return &agent(r).BrowserVersion }),
		lowCardinality("os_name", func(r Row) *string { return &agent(r).OSName }),
		lowCardinality("os_version", func(r Row) *string { return &agent(r).OSVersion }),
		lowCardinality("device_type", func(r Row) *string { return &agent(r).DeviceType }),
		lowCardinality("country", func(r Row) *string { return &agent(r).Country }),
		lowCardinality("region", func(r Row) *string { return &agent(r).Region }),
		lowCardinality("city", func(r Row) *string { return &agent(r).City }),
	}
}
