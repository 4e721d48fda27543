package track

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/uuid"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxText     = 2048
	maxEventID  = 512
	maxTitle    = 512
	maxPageName = 128
	maxTimezone = 64
	maxUTM      = 128
	maxLoad     = 600_000 // ms
	maxOnPage   = 604_800 // s; 7 days
	maxInteract = 10_000
)

// page reads an item of / or /batch. Its type defines what it is. Page events with three special names are clicks, errors
// and vitals.
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
	i := slices.IndexFunc(pageItems, func(p pageItem) bool { return p.kind == kind && (p.name == "" || p.name == name) })
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

// eventID returns the id of the item, or a new id. A hash replaces an id that is too long, so that two long ids
// with the same beginning stay different.
func (f *fields) eventID() string {
	s, name, ok := f.raw("eventId", "event_id")
	switch s = address.Clean(s); {
	case !ok:
		f.drop(name)
	case units(s) > maxEventID:
		f.drop(name)
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	case s != "":
		return s
	}
	return uuid.Random()
}

// event reads a page event: a pageview, the end of one, or an event with another name.
func (r *reader) event(ctx context.Context, f *fields, site store.Website) (row, error) {
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	e := store.Event{
		Website: site.ID, ID: s.id, Kind: store.PageEvent, Time: r.clock.moment(f), Identity: s.Identity, Agent: s.Agent,
		Name: f.need(maxPageName, "name"), Path: f.needPath(), Title: f.text(maxTitle, "title"),
		UTMSource: f.text(maxUTM, "utm_source"), UTMMedium: f.text(maxUTM, "utm_medium"), UTMCampaign: f.text(maxUTM, "utm_campaign"),
		UTMTerm: f.text(maxUTM, "utm_term"), UTMContent: f.text(maxUTM, "utm_content"), GCLID: f.text(maxUTM, "gclid"),
		Language: f.shaped(language, "language"), Timezone: f.text(maxTimezone, "timezone"),
		Screen: f.shaped(size, "screen_resolution"), Viewport: f.shaped(size, "viewport_size"),
		Properties: f.properties(),
	}
	e.Referrer, e.ReferrerDomain = f.referrer(site.Domain)
	f.campaign(&e)
	load, dom, ttfb := f.measure(maxLoad, 0, "load_time"), f.measure(maxLoad, 0, "dom_ready_time"), f.measure(maxLoad, 0, "ttfb")
	// Seconds are converted to milliseconds.
	onPage, scroll, clicks := f.measure(maxOnPage, 3, "time_on_page"), f.percent("scroll_depth"), f.measure(maxInteract, 0, "interaction_count")
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
		Path: f.path(), Href: f.need(maxText, "href"), Text: f.text(maxText, "text"), Properties: f.properties(),
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

// tag matches language tags, such as en or pt-BR.
var tag = regexp.MustCompile(`^[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8}){0,7}$`)

// language returns s if it looks like a language tag.
func language(s string) string {
	if !tag.MatchString(s) {
		return ""
	}
	return s
}

// size returns s if it has the form WxH, with sides from 240 to 10 000.
func size(s string) string {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	if !ok || !side(w) || !side(h) {
		return ""
	}
	return w + "x" + h
}

func side(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 240 && n <= 10_000
}
