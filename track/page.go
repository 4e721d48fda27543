package track

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
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

// takePage handles an item of / or /batch. Its type defines what it is. Page events with three special names are
// clicks, errors and vitals.
func takePage(c *call, f *fields, b *store.Batch) (taken, error) {
	kind := kindTrack
	if v, _ := f.get("type"); v != nil {
		s, ok := v.(string)
		if !ok {
			return taken{}, codeBadEvent.wrongType("type", "must be a string, not "+kindOf(v))
		}
		kind = s
	}
	f.unwrap()
	name := f.peek("name")
	i := slices.IndexFunc(pageItems, func(row pageItem) bool { return row.kind == kind && (row.name == "" || row.name == name) })
	if i < 0 {
		return taken{kind: kind}, codeUnknownType.problem()
	}
	id, err := pageItems[i].take(c, f, b)
	return taken{kind: kind, id: id}, err
}

// A pageItem is a kind of item of / and /batch.
type pageItem struct {
	kind string // the item's type
	name string // the item's name; empty means any
	take func(*call, *fields, *store.Batch) (id string, err error)
}

// pageItems are the kinds of items. The first row that matches is used.
var pageItems = []pageItem{
	{kindLink, "", takeClick},
	{kindError, "", addError},
	{kindVitals, "", addVital},
	{"custom", "", addOldCustom}, // an older form of /track
	{kindTrack, "link_out", takeClick},
	{kindTrack, "error", addError},
	{kindTrack, "web_vitals", addVital},
	{kindTrack, "", takeEvent},
}

// base holds the fields that all rows of a website share.
type base struct {
	store.Identity
	store.Agent
	site store.Website
	id   string
}

// base reads the common fields of the rows for the request's website. Its error is about the whole request.
func (c *call) base(f *fields) (base, error) { return c.baseOf(c.sites[c.home], f) }

// baseOf is like base, for any website.
func (c *call) baseOf(site store.Website, f *fields) (base, error) {
	b := base{site: site, id: f.eventID(), Agent: c.agentOf()}
	var err error
	b.Identity, err = c.identity(f, site.ID)
	return b, err
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
	return newID()
}

func takeEvent(c *call, f *fields, b *store.Batch) (string, error) {
	s, err := c.base(f)
	if err != nil {
		return "", err
	}
	e := store.Event{
		Website: s.site.ID, ID: s.id, Kind: store.PageEvent, Time: c.moment(f), Identity: s.Identity, Agent: s.Agent,
		Name: f.need(maxPageName, "name"), Path: f.needPath(), Title: f.text(maxTitle, "title"),
		UTMSource: f.text(maxUTM, "utm_source"), UTMMedium: f.text(maxUTM, "utm_medium"), UTMCampaign: f.text(maxUTM, "utm_campaign"),
		UTMTerm: f.text(maxUTM, "utm_term"), UTMContent: f.text(maxUTM, "utm_content"), GCLID: f.text(maxUTM, "gclid"),
		Language: f.shaped(language, "language"), Timezone: f.text(maxTimezone, "timezone"),
		Screen: f.shaped(size, "screen_resolution"), Viewport: f.shaped(size, "viewport_size"),
		Properties: f.properties(),
	}
	e.Referrer, e.ReferrerDomain = f.referrer(s.site.Domain)
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
		return "", p
	}
	if e.Kind == store.PageEvent && s.site.Rules.KeyedEvents { // page events count as custom events
		return "", c.turnAway(f.ctx, codeKeyedEvents, s.site.ID)
	}
	c.use(store.KindWebsite, s.site.ID, s.site.Owner)
	b.Events = append(b.Events, e)
	return e.ID, nil
}

func takeClick(c *call, f *fields, b *store.Batch) (string, error) {
	s, err := c.base(f)
	if err != nil {
		return "", err
	}
	e := store.Event{
		Website: s.site.ID, ID: s.id, Kind: store.Click, Time: c.moment(f), Identity: s.Identity, Agent: s.Agent,
		Path: f.path(), Href: f.need(maxText, "href"), Text: f.text(maxText, "text"), Properties: f.properties(),
	}
	if p := f.problem(); p != nil {
		return "", p
	}
	c.use(store.KindWebsite, s.site.ID, s.site.Owner)
	b.Events = append(b.Events, e)
	return e.ID, nil
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
