package demo

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// A visit is one session while its rows are generated.
type visit struct {
	g     *Generator
	d     dice
	more  dice // for rows that later versions added, so that the older rows stay the same
	who   person
	ids   store.Identity
	from  arrival
	start time.Time
	now   time.Time
	n     int // number of generated rows, for their ids
	last  page
	pages int       // number of pageviews
	seen  time.Time // the last pageview
	into  *store.Batch
}

// sessions adds all rows of the sessions that start in s. Their last rows may be after s.
func (g *Generator) sessions(into *store.Batch, s slot) {
	if g.cfg.Website == "" {
		return
	}
	for i := range g.count(s) {
		d := g.dice("session", int64(s), int64(i))
		first, index := g.who(s, i)
		p := g.person(first, index)
		v := &visit{g: g, d: d, more: g.dice("more", int64(s), int64(i)), who: p, into: into}
		v.ids = store.Identity{AnonymousID: p.anonymous, SessionID: "sess_" + d.uuid()}
		if first != s || index != i {
			v.ids.ProfileID = p.profile // the person signed up during an earlier visit
		}
		v.from = arrive(d, p)
		v.start = d.moment(s.start(), time.Hour)
		v.now = v.start
		v.walk()
		v.expose()
		v.order(g.dice("order", int64(s), int64(i)))
	}
}

// order adds, for a share of the visits of people with an account that end in the app, the event that the visitor paid.
// It happens at the last pageview of several, so that bounces and durations do not depend on it.
func (v *visit) order(d dice) {
	if v.ids.ProfileID == "" || v.pages < 2 || !strings.HasPrefix(v.last.path, "/app") || !d.chance(0.3) {
		return
	}
	e := v.event(store.Custom, "order_paid", v.last, v.seen)
	e.Namespace, e.Source = "billing", "browser"
	e.Properties = one(d, []string{
		`{"plan":"pro","total":9.99}`, `{"plan":"pro","total":9.99}`, `{"plan":"pro","total":99.9}`,
		`{"plan":"team","total":49.5}`, `{"plan":"team","total":"495"}`,
	})
	v.into.Events = append(v.into.Events, e)
}

// expose adds exposures to feature flags and their outcomes. A visitor gets the same variant at every visit.
func (v *visit) expose() {
	flag := func(key, properties string) {
		e := v.event(store.Custom, "$flag_evaluated", v.from.landing, v.start.Add(120*time.Millisecond))
		e.Source, e.Properties = "browser", `{"flag":"`+key+`",`+properties+`}`
		v.into.Events = append(v.into.Events, e)
	}
	switch v.who.anonymous[len(v.who.anonymous)-1] { // a hexadecimal digit, so each case has one visitor in 16
	case '0':
		flag("signup-button", `"variant":"short","enabled":true,"value":"Join"`)
		v.signUp("short", 0.3)
	case '1':
		flag("signup-button", `"variant":"long","enabled":true,"value":"Create your account"`)
		v.signUp("long", 0.2)
	case '2':
		flag("new-editor", `"enabled":true,"value":true`)
	}
}

// signUp adds, for a share of the visits, the event that the visitor used the sign-up button, with its success or
// failure.
func (v *visit) signUp(variant string, share float64) {
	if !v.more.chance(share) {
		return
	}
	status := "success"
	if v.more.chance(0.15) {
		status = "failed"
	}
	e := v.event(store.Custom, "signup_started", v.from.landing, v.now)
	e.Source, e.Properties = "browser", `{"flag_key":"signup-button","variant":"`+variant+`","status":"`+status+`"}`
	v.into.Events = append(v.into.Events, e)
}

// walk generates the pages of the session, one after the other.
func (v *visit) walk() {
	at, previous := v.from.landing, ""
	leave := 0.42
	if v.who.profile != "" {
		leave = 0.12
	}
	for count := 1; ; count++ {
		bounce := count == 1 && v.d.chance(leave)
		bye, left := v.look(at, previous, bounce)
		last := bounce || count == 25 || v.d.chance(0.3) || v.now.Sub(v.start) > 2*time.Hour
		if left {
			v.span(at, count-1, bye, last)
		}
		if last {
			return
		}
		previous, at = at.path, pageAt(pick(v.d, at.next).to)
	}
}

// look generates one page of the session: its pageview, the events on it, and its exit. left is false if there is
// no exit, as for a phone that loses its network.
func (v *visit) look(at page, previous string, bounce bool) (bye goodbye, left bool) {
	stay := time.Duration(v.d.ms(at.median, 0.9, 400, 1_500_000)) * time.Millisecond
	if bounce {
		stay = time.Duration(v.d.ms(5_000, 1.1, 300, 900_000)) * time.Millisecond
	}
	v.last, v.pages, v.seen = at, v.pages+1, v.now
	v.pageview(at, previous)
	v.vitals(at)
	errors := len(v.into.Errors)
	v.fail(at)
	bye.errors = len(v.into.Errors) - errors
	actions := 0
	if !bounce {
		actions = v.act(at, stay)
	}
	v.now = v.now.Add(stay)
	if left = !v.d.chance(0.05); left {
		bye.exit = v.exit(at, stay, actions)
	}
	v.now = v.now.Add(time.Duration(v.d.between(40, 900)) * time.Millisecond)
	return bye, left
}

// id returns the id of the next row of the session.
func (v *visit) id() string {
	v.n++
	return fmt.Sprintf("demo_%s_%d", v.ids.SessionID[len("sess_"):], v.n)
}

// event returns a row of the session with the fields that all page events have.
func (v *visit) event(kind store.EventKind, name string, at page, when time.Time) store.Event {
	return store.Event{
		Website: v.g.cfg.Website, ID: v.id(), Kind: kind, Name: name, Time: when,
		Identity: v.ids, Agent: v.who.agent, Path: at.path, Title: at.title,
		Language: v.who.language, Timezone: v.who.timezone, Screen: v.who.screen, Viewport: v.who.viewport,
	}
}

func (v *visit) pageview(at page, previous string) {
	e := v.event(store.Pageview, "screen_view", at, v.now)
	if previous == "" {
		f := v.from
		e.Referrer, e.ReferrerDomain = f.referrer, referrer.Domain(f.referrer, v.g.cfg.Domain)
		e.UTMSource, e.UTMMedium, e.UTMCampaign, e.UTMTerm, e.UTMContent = f.source, f.medium, f.campaign, f.term,
			f.content
		e.GCLID = f.gclid
		if e.ReferrerDomain == "" {
			domain, kind := referrer.Campaign(f.source, f.medium, f.gclid != "")
			e.ReferrerDomain, e.CampaignKind = domain, string(kind)
		}
	} else {
		e.Referrer = "https://" + v.g.cfg.Domain + previous
	}
	heavy := at.heavy * slow(v.who.agent.DeviceType)
	ttfb := v.d.ms(130*heavy, 0.5, 15, 8_000)
	ready := ttfb + v.d.ms(420*heavy, 0.45, 60, 15_000)
	e.TTFB, e.DOMReadyTime = store.Known(ttfb), store.Known(ready)
	e.LoadTime = store.Known(ready + v.d.ms(380*heavy, 0.6, 30, 30_000))
	v.into.Events = append(v.into.Events, e)
}

func (v *visit) exit(at page, stay time.Duration, actions int) store.Event {
	e := v.event(store.Exit, "page_exit", at, v.now)
	read := 1 - math.Exp(-stay.Seconds()/30) // longer visits scroll further
	e.TimeOnPage = store.Known(stay.Milliseconds())
	e.ScrollDepth = store.Known(int64(min(100, 100*read*(0.5+0.6*v.d.Float64()))))
	e.Interactions = store.Known(int64(actions + v.d.poisson(min(stay.Seconds()/40, 12))))
	v.into.Events = append(v.into.Events, e)
	return e
}

// act adds custom events and clicks of a page, and returns their number.
func (v *visit) act(at page, stay time.Duration) int {
	n := 0
	for _, a := range at.actions {
		if !v.d.chance(a.chance) {
			continue
		}
		if a.name == "signup_completed" && v.who.profile == "" {
			continue // this person never signs up
		}
		e := v.event(store.Custom, a.name, at, v.d.moment(v.now, stay))
		e.Namespace, e.Source = a.namespace, "browser"
		if len(a.properties) > 0 {
			e.Properties = one(v.d, a.properties)
		}
		if a.name == "signup_completed" {
			v.ids.ProfileID = v.who.profile // for the following rows
		}
		v.into.Events = append(v.into.Events, e)
		n++
	}
	if len(at.links) > 0 && v.d.chance(0.16) {
		e := v.event(store.Click, "", at, v.d.moment(v.now, stay))
		e.Href = one(v.d, at.links)
		e.Text = one(v.d, []string{"Read more", "Source", "here"})
		v.into.Events = append(v.into.Events, e)
		n++
	}
	return n
}

// vitals adds one report for half of the pages. Only some browsers measure all metrics.
func (v *visit) vitals(at page) {
	if !v.d.chance(0.5) {
		return
	}
	heavy := at.heavy * slow(v.who.agent.DeviceType)
	samples := []store.Sample{
		{Metric: "FCP", Value: v.d.ms(750*heavy, 0.4, 80, 20_000)},
		{Metric: "TTFB", Value: v.d.ms(130*heavy, 0.5, 15, 8_000)},
	}
	switch v.who.agent.BrowserName {
	case "Chrome", "Edge", "Opera", "Samsung Internet":
		samples = append(samples,
			store.Sample{Metric: "LCP", Value: v.d.ms(1_250*heavy, 0.45, 120, 40_000)},
			store.Sample{Metric: "INP", Value: v.d.ms(70*heavy, 0.6, 8, 4_000)},
			store.Sample{Metric: "CLS", Value: v.d.ms(260*at.heavy, 1.1, 0, 15_000)})
	}
	if v.more.chance(0.12) { // browsers measure frames per second only while the visitor scrolls
		samples = append(samples, store.Sample{Metric: "FPS", Value: min(60, v.more.ms(57, 0.2, 4, 120))})
	}
	v.into.Vitals = append(v.into.Vitals, store.Vital{
		Website: v.g.cfg.Website, ID: v.id(), Time: v.now.Add(1500 * time.Millisecond),
		Identity: v.ids, Agent: v.who.agent, Path: at.path, Samples: samples,
	})
}

// fail sometimes adds a JavaScript error, more often on heavy pages such as the app.
func (v *visit) fail(at page) {
	if !v.d.chance(0.012 * at.heavy) {
		return
	}
	possible := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
		return f.browser != "" && f.browser != v.who.agent.BrowserName
	})
	f := pick(v.d, possible)
	line, col := int64(v.d.between(1, 900)), int64(v.d.between(1, 120))
	file := "https://" + v.g.cfg.Domain + "/assets/" + f.file
	v.into.Errors = append(v.into.Errors, store.Error{
		Website: v.g.cfg.Website, ID: v.id(),
		Time:     v.now.Add(time.Duration(v.d.between(100, 2_500)) * time.Millisecond),
		Identity: v.ids, Agent: v.who.agent, Path: at.path,
		Message: f.message, ErrorType: f.errorType, Filename: file,
		Line: store.Known(line), Col: store.Known(col),
		Stack: fmt.Sprintf("%s: %s\n    at %s:%d:%d", f.errorType, f.message, file, line, col),
	})
}
