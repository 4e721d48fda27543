package clickhouse

import (
	"slices"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

// A table is a logical table as ClickHouse keeps it. Its DDL and its inserts are made
// of the same columns.
type table[T any] struct {
	name    string
	shard   string // what keeps rows together on one server of a cluster, beside the subject
	columns []column[T]
}

// valid reports whether all texts of row are UTF-8.
func (t *table[T]) valid(row *T) bool {
	for i := range t.columns {
		if text := t.columns[i].text; text != nil && !utf8.ValidString(text(row)) {
			return false
		}
	}
	return true
}

// tableOf are the tables of rows of each kind.
var tableOf = struct {
	events table[eventRow]
	errors table[errorRow]
	vitals table[vitalRow]
	spans  table[spanRow]
	visits table[visitRow]
	checks table[checkRow]
}{eventTable(), errorTable(), vitalTable(), spanTable(), visitTable(), checkTable()}

// What a row is stored of: the row as given, and the receipt of its batch.
type (
	eventRow struct {
		*store.Event
		receipt uint64
	}
	errorRow struct {
		*store.Error
		receipt uint64
	}
	vitalRow struct { // of one sample
		*store.Vital
		store.Sample
		receipt uint64
	}
	spanRow struct {
		*store.Span
		receipt uint64
	}
	visitRow struct {
		*store.Visit
		receipt uint64
	}
	checkRow struct {
		*store.Check
		receipt uint64
	}
)

// Rows of one session lie on one server, so that it can be formed there.
const bySession = "if(session_id = '', event_id, session_id)"

func eventTable() table[eventRow] {
	type row = eventRow
	return table[row]{"events", bySession, slices.Concat(
		head(func(r *row) string { return r.Website }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		visitor(func(r *row) *store.Identity { return &r.Identity }, func(r *row) *store.Agent { return &r.Agent },
			func(r *row) string { return r.Path }),
		[]column[row]{
			of("kind", smallType, func(r *row) uint8 { return uint8(r.Kind) }),
			word("name", func(r *row) string { return r.Name }),
			story("title", func(r *row) string { return r.Title }),
			story("referrer", func(r *row) string { return r.Referrer }),
			word("referrer_domain", func(r *row) string { return r.ReferrerDomain }),
			word("utm_source", func(r *row) string { return r.UTMSource }),
			word("utm_medium", func(r *row) string { return r.UTMMedium }),
			word("utm_campaign", func(r *row) string { return r.UTMCampaign }),
			word("utm_term", func(r *row) string { return r.UTMTerm }),
			word("utm_content", func(r *row) string { return r.UTMContent }),
			text("gclid", func(r *row) string { return r.GCLID }),
			word("language", func(r *row) string { return r.Language }),
			word("timezone", func(r *row) string { return r.Timezone }),
			word("screen_resolution", func(r *row) string { return r.Screen }),
			word("viewport_size", func(r *row) string { return r.Viewport }),
			measure("load_time", func(r *row) *store.Measure { return &r.LoadTime }),
			measure("dom_ready_time", func(r *row) *store.Measure { return &r.DOMReadyTime }),
			measure("ttfb", func(r *row) *store.Measure { return &r.TTFB }),
			measure("time_on_page", func(r *row) *store.Measure { return &r.TimeOnPage }),
			measure("scroll_depth", func(r *row) *store.Measure { return &r.ScrollDepth }),
			measure("interactions", func(r *row) *store.Measure { return &r.Interactions }),
			word("namespace", func(r *row) string { return r.Namespace }),
			word("source", func(r *row) string { return r.Source }),
			story("properties", func(r *row) string { return r.Properties }),
			story("href", func(r *row) string { return r.Href }),
			story("text", func(r *row) string { return r.Text }),
		})}
}

func errorTable() table[errorRow] {
	type row = errorRow
	return table[row]{"errors", bySession, slices.Concat(
		head(func(r *row) string { return r.Website }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		visitor(func(r *row) *store.Identity { return &r.Identity }, func(r *row) *store.Agent { return &r.Agent },
			func(r *row) string { return r.Path }),
		[]column[row]{
			story("message", func(r *row) string { return r.Message }),
			word("error_type", func(r *row) string { return r.ErrorType }),
			word("filename", func(r *row) string { return r.Filename }),
			measure("line", func(r *row) *store.Measure { return &r.Line }),
			measure("col", func(r *row) *store.Measure { return &r.Col }),
			story("stack", func(r *row) string { return r.Stack }),
		})}
}

func vitalTable() table[vitalRow] {
	type row = vitalRow
	return table[row]{"vitals", bySession, slices.Concat(
		head(func(r *row) string { return r.Website }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		visitor(func(r *row) *store.Identity { return &r.Identity }, func(r *row) *store.Agent { return &r.Agent },
			func(r *row) string { return r.Path }),
		[]column[row]{
			word("metric_name", func(r *row) string { return r.Metric }),
			integer("value", func(r *row) int64 { return r.Value }),
		})}
}

func spanTable() table[spanRow] {
	type row = spanRow
	return table[row]{"spans", bySession, slices.Concat(
		head(func(r *row) string { return r.Website }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		visitor(func(r *row) *store.Identity { return &r.Identity }, func(r *row) *store.Agent { return &r.Agent },
			func(r *row) string { return r.Path }),
		[]column[row]{
			word("exit_type", func(r *row) string { return r.ExitType }),
			measure("page_index", func(r *row) *store.Measure { return &r.PageIndex }),
			measure("time_on_page", func(r *row) *store.Measure { return &r.TimeOnPage }),
			measure("active_time", func(r *row) *store.Measure { return &r.ActiveTime }),
			measure("first_interaction", func(r *row) *store.Measure { return &r.FirstInteraction }),
			measure("max_scroll_depth", func(r *row) *store.Measure { return &r.MaxScrollDepth }),
			integer("scrolls", func(r *row) int64 { return r.Scrolls }),
			integer("clicks", func(r *row) int64 { return r.Clicks }),
			integer("keys", func(r *row) int64 { return r.Keys }),
			integer("interactions", func(r *row) int64 { return r.Interactions }),
			integer("copies", func(r *row) int64 { return r.Copies }),
			integer("rage_clicks", func(r *row) int64 { return r.RageClicks }),
			integer("dead_clicks", func(r *row) int64 { return r.DeadClicks }),
			integer("form_fields", func(r *row) int64 { return r.FormFields }),
			integer("form_submits", func(r *row) int64 { return r.FormSubmits }),
			integer("errors", func(r *row) int64 { return r.Errors }),
		})}
}

func visitTable() table[visitRow] {
	type row = visitRow
	return table[row]{"visits", "event_id", slices.Concat(
		head(func(r *row) string { return linkMark + r.Link }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		[]column[row]{
			story("referrer", func(r *row) string { return r.Referrer }),
			word("referrer_domain", func(r *row) string { return r.ReferrerDomain }),
		},
		device(func(r *row) *store.Agent { return &r.Agent }))}
}

func checkTable() table[checkRow] {
	type row = checkRow
	return table[row]{"checks", "event_id", slices.Concat(
		head(func(r *row) string { return scheduleMark + r.Schedule }, func(r *row) string { return r.ID },
			func(r *row) int64 { return r.Time.UnixMilli() }, func(r *row) uint64 { return r.receipt }),
		[]column[row]{
			word("url", func(r *row) string { return r.URL }),
			of("status", smallType, func(r *row) uint8 { return uint8(r.Status) }),
			integer("http_code", func(r *row) int64 { return r.HTTPCode }),
			measure("ttfb", func(r *row) *store.Measure { return &r.TTFB }),
			measure("total", func(r *row) *store.Measure { return &r.Total }),
			word("probe_region", func(r *row) string { return r.Region }),
			of("ssl_expiry", measureType, func(r *row) *int64 {
				if !r.SSLExpiry.Valid {
					return nil
				}
				millis := r.SSLExpiry.V.UnixMilli()
				return &millis
			}),
			of("ssl_valid", measureType, func(r *row) *int64 {
				if !r.SSLValid.Valid {
					return nil
				}
				var valid int64
				if r.SSLValid.V {
					valid = 1
				}
				return &valid
			}),
			story("error", func(r *row) string { return r.Error }),
		})}
}
