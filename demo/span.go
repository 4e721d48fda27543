package demo

import (
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A goodbye is the exit from one page of a session.
type goodbye struct {
	exit   store.Event
	errors int // the number of errors on the page
}

// trouble has factors for the number of rage and dead clicks on a page. Other pages have the factor 1.
var trouble = map[string]float64{"/pricing": 2, "/signup": 4, "/app/search": 3, "/app/settings": 2}

// forms has the number of form fields on pages with a form.
var forms = map[string]int{"/signup": 4, "/app/search": 1, "/app/settings": 6}

// span adds a span, which is the activity on one page. Its times and counts match the exit from the page, and it
// has the same id as the exit. It uses separate random numbers, so that spans do not change other rows. last is
// true for the last page of a session.
func (v *visit) span(at page, index int, bye goodbye, last bool) {
	d, stay := v.more, time.Duration(bye.exit.TimeOnPage.V)*time.Millisecond
	s := store.Span{
		Website: bye.exit.Website, ID: bye.exit.ID, Time: bye.exit.Time,
		Identity: bye.exit.Identity, Agent: bye.exit.Agent, Path: at.path,
		ExitType: v.leaving(at, last), PageIndex: store.Known(int64(index)),
		TimeOnPage:     bye.exit.TimeOnPage,
		ActiveTime:     store.Known(int64(float64(stay.Milliseconds()) * (0.35 + 0.6*d.Float64()))),
		MaxScrollDepth: bye.exit.ScrollDepth, Scrolls: int64(d.poisson(min(stay.Seconds()/5, 40))),
		Interactions: bye.exit.Interactions.V, Errors: int64(bye.errors),
	}
	fields, form := forms[at.path]
	if form || strings.HasPrefix(at.path, "/app") {
		s.Keys = int64(float64(s.Interactions) * d.Float64())
	}
	s.Clicks = s.Interactions - s.Keys
	if form && s.Interactions > 0 {
		s.FormFields = int64(d.between(0, fields))
		if s.FormFields == int64(fields) && d.chance(0.8) {
			s.FormSubmits = 1
		}
	}
	if strings.HasPrefix(at.path, "/docs/") {
		s.Copies = int64(d.poisson(0.2))
	}
	if stay > 3*time.Second {
		annoy(d, &s, max(1, trouble[at.path]), bye.errors > 0)
	}
	if s.Interactions+s.Scrolls > 0 {
		s.FirstInteraction = store.Known(min(d.ms(1_900, 0.8, 90, 60_000), stay.Milliseconds()))
	}
	v.into.Spans = append(v.into.Spans, s)
}

// leaving returns the type of an exit. In the app, scripts change pages. At the end of a session most computers
// close the page, and phones hide it.
func (v *visit) leaving(at page, last bool) string {
	switch {
	case !last && strings.HasPrefix(at.path, "/app"):
		return "spa"
	case !last:
		return "navigation"
	case v.who.agent.DeviceType == "desktop" && v.more.chance(0.8):
		return "unload"
	default:
		return "hidden"
	}
}

// annoy adds dead clicks and rage clicks, mostly if the page had an error.
func annoy(d dice, s *store.Span, trouble float64, broken bool) {
	dead, rage := 0.03*trouble, 0.008*trouble
	if broken {
		dead, rage = 0.35, 0.25
	}
	if d.chance(dead) {
		s.DeadClicks = int64(1 + d.poisson(0.6))
	}
	if d.chance(rage) {
		s.RageClicks = int64(1 + d.poisson(0.4))
	}
	clicks := s.DeadClicks + 4*s.RageClicks
	s.Clicks += clicks
	s.Interactions += clicks
}
