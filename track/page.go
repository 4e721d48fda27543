package track

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/uuid"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxEventID  = 512
	maxInteract = 10_000
)

// page reads an item of / or /batch. Its type defines what it is. Page events with three special names are clicks,
// errors and vitals.
func (r *reader) page(ctx context.Context, f *fields, site store.Website) (row, error) {
	kind := kindTrack
	if v, _ := f.get("type"); v != nil {
		s, ok := v.(string)
		if !ok {
			return row{}, codeBadEvent.wrongType("type", mistake.Want("a string", mistake.KindOf(v)))
		}
		kind = s
	}
	f.unwrap()
	name := f.peek("name")
	i := slices.IndexFunc(pageItems,
		func(p pageItem) bool { return p.kind == kind && (p.name == "" || p.name == name) })
	switch {
	case i < 0:
		return row{taken: taken{kind: kind}}, codeUnknownType.problem()
	case pageItems[i].needsKey && site.Rules.KeyedEvents: // refused whatever its fields are
		return row{taken: taken{kind: kind}, needsKey: true}, nil
	}
	one, err := pageItems[i].read(r, ctx, f, site)
	one.kind = kind
	return one, err
}

// A pageItem is a kind of item of / and /batch.
type pageItem struct {
	kind     string // the item's type
	name     string // the item's name; empty means any
	needsKey bool   // see row
	read     read
}

// pageItems are the kinds of items. The first row that matches is used.
var pageItems = []pageItem{
	{kindLink, "", false, (*reader).click},
	{kindError, "", false, (*reader).failure},
	{kindVitals, "", false, (*reader).vital},
	{"custom", "", true, (*reader).custom}, // an older form of /track
	{kindTrack, "link_out", false, (*reader).click},
	{kindTrack, "error", false, (*reader).failure},
	{kindTrack, "web_vitals", false, (*reader).vital},
	{kindTrack, "", false, (*reader).event},
}

// eventID returns the id of the item, or a new id. New ids rise with the place of the item in its body, since ids
// decide the order of rows of one time. A hash replaces an id that is too long, so that two long ids with the same
// beginning stay different.
func (f *fields) eventID() string {
	s, name, ok := f.raw("eventId", "event_id")
	switch s = address.Clean(s); {
	case !ok:
		f.drop(name)
	case intake.Units(s) > maxEventID:
		f.drop(name)
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	case s != "":
		return s
	}
	return uuid.Nth(f.arrived, f.place)
}

// event reads a page event: a pageview, the end of one, or an event with another name.
func (r *reader) event(ctx context.Context, f *fields, site store.Website) (row, error) {
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	e := store.Event{
		Website: site.ID, ID: s.id, Kind: store.PageEvent, Time: r.clock.moment(f), Identity: s.Identity,
		Agent: s.Agent,
		Name:  f.need(intake.MaxPageName, "name"), Path: f.needPath(), Title: f.text(intake.MaxTitle, "title"),
		Language: f.shaped(intake.Language, "language"), Timezone: f.text(intake.MaxTimezone, "timezone"),
		Screen: f.shaped(intake.Size, "screen_resolution"), Viewport: f.shaped(intake.Size, "viewport_size"),
		Properties: f.properties(),
	}
	e.Referrer, e.ReferrerDomain = f.referrer(site.Domain)
	f.campaign(&e)
	load, dom, ttfb := f.measure(intake.MaxLoad, 0, "load_time"), f.measure(intake.MaxLoad, 0, "dom_ready_time"),
		f.measure(intake.MaxLoad, 0, "ttfb")
	// Seconds are converted to milliseconds.
	onPage, scroll, clicks := f.measure(intake.MaxOnPage, 3, "time_on_page"), f.percent("scroll_depth"),
		f.measure(maxInteract, 0, "interaction_count")
	switch e.Name {
	case "screen_view", "page_view":
		e.Kind, e.LoadTime, e.DOMReadyTime, e.TTFB = store.Pageview, load, dom, ttfb
	case "page_exit":
		e.Kind, e.TimeOnPage, e.ScrollDepth, e.Interactions = store.Exit, onPage, scroll, clicks
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	one := eventRow(kindTrack, e)
	one.needsKey = e.Kind == store.PageEvent // page events count as custom events
	return one, nil
}

// click reads a click on a link to another website.
func (r *reader) click(ctx context.Context, f *fields, site store.Website) (row, error) {
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	e := store.Event{
		Website: site.ID, ID: s.id, Kind: store.Click, Time: r.clock.moment(f), Identity: s.Identity, Agent: s.Agent,
		Path: f.path(), Href: f.need(intake.MaxText, "href"), Text: f.text(intake.MaxText, "text"),
		Properties: f.properties(),
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return eventRow(kindLink, e), nil
}

// shaped returns an optional text, converted by shape. If shape returns an empty text, the field is left
// out.
func (f *fields) shaped(shape func(string) string, name string) string {
	s, name, ok := f.raw(name)
	s = address.Clean(s)
	shown := shape(s)
	if !ok || shown == "" && s != "" {
		f.drop(name)
	}
	return shown
}
