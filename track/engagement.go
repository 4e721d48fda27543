package track

import (
	"context"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxFirstTouch = 86_400_000 // ms
	maxCount      = 1<<16 - 1
)

// exits are the ways in which a page can be left.
var exits = [...]string{"navigation", "spa", "hidden", "unload"}

// span reads an item of /engagement: the activity of a visitor on one page.
func (r *reader) span(ctx context.Context, f *fields, site store.Website) (row, error) {
	base, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	s := store.Span{
		Website: site.ID, ID: base.id, Time: r.clock.moment(f), Identity: base.Identity, Agent: base.Agent,
		Path: f.needPath(), ExitType: f.exit(), PageIndex: f.measure(maxCount, 0, "pageIndex", "page_index"),
		// Seconds are converted to milliseconds.
		TimeOnPage:       f.measure(intake.MaxOnPage, 3, "timeOnPage", "time_on_page"),
		ActiveTime:       f.measure(intake.MaxOnPage, 3, "activeTime", "active_time"),
		FirstInteraction: f.measure(maxFirstTouch, 0, "timeToFirstInteraction", "time_to_first_interaction"),
		MaxScrollDepth:   f.percent("maxScrollDepth", "max_scroll_depth"),
		Scrolls:          f.count("scrollCount", "scroll_count"),
		Clicks:           f.count("clickCount", "click_count"),
		Keys:             f.count("keyCount", "key_count"),
		Interactions:     f.count("interactionCount", "interaction_count"),
		Copies:           f.count("copyCount", "copy_count"),
		RageClicks:       f.count("rageClickCount", "rage_click_count"),
		DeadClicks:       f.count("deadClickCount", "dead_click_count"),
		FormFields:       f.count("formFieldCount", "form_field_count"),
		FormSubmits:      f.count("formSubmitCount", "form_submit_count"),
		Errors:           f.count("errorCount", "error_count"),
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return row{
		taken: taken{kind: kindSpan, id: s.ID}, subject: ofWebsite(s.Website),
		add: func(b *store.Batch) { b.Spans = append(b.Spans, s) },
	}, nil
}

// count returns how often something happened; 0 if the field is missing.
func (f *fields) count(names ...string) int64 { return f.measure(maxCount, 0, names...).V }

// exit returns how the visitor left the page; empty if unknown.
func (f *fields) exit() string {
	s, name, ok := f.raw("exitType", "exit_type")
	s = strings.ToLower(strings.TrimSpace(s))
	if !ok || s != "" && !slices.Contains(exits[:], s) {
		f.drop(name)
		return ""
	}
	return s
}
