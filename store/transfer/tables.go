package transfer

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// tables are all logical tables, as in the documentation of package store.
var tables = []table{
	tableOf("events", "kind", store.KindWebsite, func(b *store.Batch) *[]store.Event { return &b.Events },
		eventCommon, visitor(eventCommon), eventFields()),
	tableOf("errors", "", store.KindWebsite, func(b *store.Batch) *[]store.Error { return &b.Errors },
		errorCommon, visitor(errorCommon), errorFields()),
	tableOf("vitals", "metric_name", store.KindWebsite, func(b *store.Batch) *[]store.Vital { return &b.Vitals },
		vitalCommon, visitor(vitalCommon), vitalFields()),
	tableOf("spans", "", store.KindWebsite, func(b *store.Batch) *[]store.Span { return &b.Spans },
		spanCommon, visitor(spanCommon), spanFields()),
	tableOf("visits", "", store.KindLink, func(b *store.Batch) *[]store.Visit { return &b.Visits },
		visitCommon, []field[store.Visit]{
			text("referrer", func(v *store.Visit) *string { return &v.Referrer }),
			text("referrer_domain", func(v *store.Visit) *string { return &v.ReferrerDomain }),
		}, device(visitCommon)),
	tableOf("checks", "", store.KindSchedule, func(b *store.Batch) *[]store.Check { return &b.Checks },
		checkCommon, checkFields()),
}

func eventCommon(e *store.Event) common {
	return common{&e.Website, &e.ID, &e.Time, &e.Agent, &e.Identity, &e.Path}
}

func errorCommon(e *store.Error) common {
	return common{&e.Website, &e.ID, &e.Time, &e.Agent, &e.Identity, &e.Path}
}

func vitalCommon(v *store.Vital) common {
	return common{&v.Website, &v.ID, &v.Time, &v.Agent, &v.Identity, &v.Path}
}

func spanCommon(s *store.Span) common {
	return common{&s.Website, &s.ID, &s.Time, &s.Agent, &s.Identity, &s.Path}
}

func visitCommon(v *store.Visit) common {
	return common{subject: &v.Link, id: &v.ID, time: &v.Time, agent: &v.Agent}
}

func checkCommon(c *store.Check) common {
	return common{subject: &c.Schedule, id: &c.ID, time: &c.Time}
}

func eventFields() []field[store.Event] {
	type row = store.Event
	return []field[row]{
		whole("kind", func(e *row, v int64) { e.Kind = store.EventKind(v) }),
		text("name", func(e *row) *string { return &e.Name }),
		text("title", func(e *row) *string { return &e.Title }),
		text("referrer", func(e *row) *string { return &e.Referrer }),
		text("referrer_domain", func(e *row) *string { return &e.ReferrerDomain }),
		text("utm_source", func(e *row) *string { return &e.UTMSource }),
		text("utm_medium", func(e *row) *string { return &e.UTMMedium }),
		text("utm_campaign", func(e *row) *string { return &e.UTMCampaign }),
		text("utm_term", func(e *row) *string { return &e.UTMTerm }),
		text("utm_content", func(e *row) *string { return &e.UTMContent }),
		text("gclid", func(e *row) *string { return &e.GCLID }),
		text("language", func(e *row) *string { return &e.Language }),
		text("timezone", func(e *row) *string { return &e.Timezone }),
		text("screen_resolution", func(e *row) *string { return &e.Screen }),
		text("viewport_size", func(e *row) *string { return &e.Viewport }),
		measure("load_time", func(e *row) *store.Measure { return &e.LoadTime }),
		measure("dom_ready_time", func(e *row) *store.Measure { return &e.DOMReadyTime }),
		measure("ttfb", func(e *row) *store.Measure { return &e.TTFB }),
		measure("time_on_page", func(e *row) *store.Measure { return &e.TimeOnPage }),
		measure("scroll_depth", func(e *row) *store.Measure { return &e.ScrollDepth }),
		measure("interactions", func(e *row) *store.Measure { return &e.Interactions }),
		text("namespace", func(e *row) *string { return &e.Namespace }),
		text("source", func(e *row) *string { return &e.Source }),
		text("properties", func(e *row) *string { return &e.Properties }),
		text("href", func(e *row) *string { return &e.Href }),
		text("text", func(e *row) *string { return &e.Text }),
	}
}

func errorFields() []field[store.Error] {
	type row = store.Error
	return []field[row]{
		text("message", func(e *row) *string { return &e.Message }),
		text("error_type", func(e *row) *string { return &e.ErrorType }),
		text("filename", func(e *row) *string { return &e.Filename }),
		measure("line", func(e *row) *store.Measure { return &e.Line }),
		measure("col", func(e *row) *store.Measure { return &e.Col }),
		text("stack", func(e *row) *string { return &e.Stack }),
	}
}

// vitalFields make a report of its own of every sample.
func vitalFields() []field[store.Vital] {
	type row = store.Vital
	return []field[row]{
		{column{"metric_name", dialect.Text}, func(v *row, value *store.Column, i int) {
			v.Samples = []store.Sample{{Metric: value.Texts[i]}}
		}},
		whole("value", func(v *row, value int64) { v.Samples[0].Value = value }),
	}
}

func spanFields() []field[store.Span] {
	type row = store.Span
	count := func(name string, of func(*row) *int64) field[row] {
		return whole(name, func(s *row, v int64) { *of(s) = v })
	}
	return []field[row]{
		text("exit_type", func(s *row) *string { return &s.ExitType }),
		measure("page_index", func(s *row) *store.Measure { return &s.PageIndex }),
		measure("time_on_page", func(s *row) *store.Measure { return &s.TimeOnPage }),
		measure("active_time", func(s *row) *store.Measure { return &s.ActiveTime }),
		measure("first_interaction", func(s *row) *store.Measure { return &s.FirstInteraction }),
		measure("max_scroll_depth", func(s *row) *store.Measure { return &s.MaxScrollDepth }),
		count("scrolls", func(s *row) *int64 { return &s.Scrolls }),
		count("clicks", func(s *row) *int64 { return &s.Clicks }),
		count("keys", func(s *row) *int64 { return &s.Keys }),
		count("interactions", func(s *row) *int64 { return &s.Interactions }),
		count("copies", func(s *row) *int64 { return &s.Copies }),
		count("rage_clicks", func(s *row) *int64 { return &s.RageClicks }),
		count("dead_clicks", func(s *row) *int64 { return &s.DeadClicks }),
		count("form_fields", func(s *row) *int64 { return &s.FormFields }),
		count("form_submits", func(s *row) *int64 { return &s.FormSubmits }),
		count("errors", func(s *row) *int64 { return &s.Errors }),
	}
}

func checkFields() []field[store.Check] {
	type row = store.Check
	return []field[row]{
		text("url", func(c *row) *string { return &c.URL }),
		whole("status", func(c *row, v int64) { c.Status = store.Status(v) }),
		whole("http_code", func(c *row, v int64) { c.HTTPCode = v }),
		measure("ttfb", func(c *row) *store.Measure { return &c.TTFB }),
		measure("total", func(c *row) *store.Measure { return &c.Total }),
		text("probe_region", func(c *row) *string { return &c.Region }),
		{column{"ssl_expiry", dialect.Int}, func(c *row, value *store.Column, i int) {
			if !value.Null(i) {
				c.SSLExpiry.V, c.SSLExpiry.Valid = time.UnixMilli(value.Ints[i]).UTC(), true
			}
		}},
		{column{"ssl_valid", dialect.Int}, func(c *row, value *store.Column, i int) {
			if !value.Null(i) {
				c.SSLValid.V, c.SSLValid.Valid = value.Ints[i] != 0, true
			}
		}},
		text("error", func(c *row) *string { return &c.Error }),
	}
}
