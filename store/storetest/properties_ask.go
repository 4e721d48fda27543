package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// A client asks random questions about the rows of a dataset. Planted mistakes replace its ways to ask.
type client struct {
	t       *testing.T
	store   store.Store
	known   *query.Registry
	types   []query.Info
	dataset *dataset.Dataset
	values  map[string][]string // texts of the rows by filter field
	rng     *rand.Rand
	faults  []string // reasons why a property cannot be tested, without repeats

	ask  func(question) answer
	post func(question, []byte) ([]byte, error) // a body to /v1/query
	get  func(question, string) ([]byte, error) // the parameters of /v1/query
}

func newClient(t *testing.T, s store.Store, w *dataset.Dataset) *client {
	t.Helper()
	known, err := query.NewRegistry(query.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, store: s, known: known, dataset: w, values: valuesOf(&w.Batch)}
	c.ask, c.post, c.get = c.askEngine, c.postHTTP, c.getHTTP
	engine, err := c.engine(now)
	if err != nil {
		t.Fatal(err)
	}
	c.types = engine.Types()
	return c
}

func (c *client) engine(at time.Time) (*query.Engine, error) { return c.engineOver(c.store, at) }

func (c *client) engineOver(s store.Store, at time.Time) (*query.Engine, error) {
	return query.New(query.Config{Store: s, Now: func() time.Time { return at },
		EngineOptions: query.EngineOptions{Types: c.known}})
}

func (c *client) askEngine(q question) answer { return c.answerTo(c.store, q, nil) }

// answerTo returns the answer of s to q for a key with mandatory filters.
func (c *client) answerTo(s store.Store, q question, filters []query.Filter) answer {
	engine, err := c.engineOver(s, q.now)
	if err != nil {
		return answer{fault: err.Error()}
	}
	return answerOf(c.t.Context(), engine, query.Access{Subject: q.of, Filters: filters}, q.req)
}

// fault records, once, why something cannot be tested.
func (c *client) fault(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.faults, text) {
		c.faults = append(c.faults, text)
	}
}

// oddZones lists UTC and zones with irregular days in the datasets.
var oddZones = []string{"UTC", "Asia/Kathmandu", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
	"America/St_Johns", "America/Santiago", "Africa/Cairo", "Pacific/Apia", "Antarctica/Troll"}

// question returns a question of a type about some days around one of its rows. Its clock is a minute after
// that row.
func (c *client) question(info query.Info) question {
	q := question{of: store.Subject{Kind: info.Subject, ID: c.subject(info.Subject)}}
	at, session := c.anchor(q.of)
	q.now = at.Add(time.Minute)
	zone := oddZones[c.rng.IntN(len(oddZones))]
	loc, err := time.LoadLocation(zone)
	if err != nil {
		zone, loc = "UTC", time.UTC
	}
	day := at.In(loc)
	limit := query.MaxLimit
	q.req = query.Request{
		Parameters: []query.Parameter{Example(info.Name)}, TimeZone: zone, Options: query.Options{Limit: &limit},
		StartDate: day.AddDate(0, 0, -c.rng.IntN(3)).Format(time.DateOnly),
		EndDate:   day.AddDate(0, 0, 1+c.rng.IntN(2)).Format(time.DateOnly),
	}
	if info.RequiredFilter != "" {
		if info.RequiredFilter != "session_id" {
			session = c.value(info.RequiredFilter)
		}
		q.req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{session}}}
	}
	return q
}

func (c *client) subject(kind store.SubjectKind) string {
	list := map[store.SubjectKind][]string{
		store.KindWebsite: c.dataset.Websites, store.KindLink: c.dataset.Links, store.KindSchedule: c.dataset.Schedules,
	}[kind]
	if c.rng.IntN(4) > 0 {
		return list[0]
	}
	return list[c.rng.IntN(len(list))]
}

// anchor returns the time of a random row of s. For a website, the row is a pageview in a session.
func (c *client) anchor(s store.Subject) (at time.Time, session string) {
	b := &c.dataset.Batch
	for range 10_000 { // the batch has many of each
		switch s.Kind {
		case store.KindLink:
			if v := b.Visits[c.rng.IntN(len(b.Visits))]; v.Link == s.ID {
				return v.Time, ""
			}
		case store.KindSchedule:
			if k := b.Checks[c.rng.IntN(len(b.Checks))]; k.Schedule == s.ID {
				return k.Time, ""
			}
		default:
			e := b.Events[c.rng.IntN(len(b.Events))]
			if e.Website == s.ID && e.Kind == store.Pageview && e.SessionID != "" {
				return e.Time, e.SessionID
			}
		}
	}
	return now, ""
}

// filterFields returns up to n random filter fields of info.
func (c *client) filterFields(info query.Info, n int) []string {
	fields := slices.DeleteFunc(slices.Clone(info.Filters), func(f string) bool { return f == info.RequiredFilter })
	c.rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields[:min(n, len(fields))]
}

// operators returns operators that filters on a field take.
func operators(field string) []query.Op {
	if field == "website" { // an id, which is compared as a whole
		return []query.Op{query.Eq, query.Ne, query.In, query.NotIn}
	}
	return []query.Op{query.Eq, query.Ne, query.Contains, query.NotContains, query.StartsWith, query.In, query.NotIn}
}

// value returns the text that a random row has for a filter field.
func (c *client) value(field string) string {
	values := c.values[field]
	if len(values) == 0 {
		c.fault("no row of the dataset has a value for the filter field %q: valuesOf should know it", field)
		return ""
	}
	return values[c.rng.IntN(len(values))]
}

func addDays(date string, n int) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return day.AddDate(0, 0, n).Format(time.DateOnly)
}

// valuesOf returns the texts in the rows of b. The keys of the map are the filter fields that match these texts.
func valuesOf(b *store.Batch) map[string][]string {
	found := map[string][]string{}
	add := func(pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			found[pairs[i]] = append(found[pairs[i]], pairs[i+1])
		}
	}
	agent := func(a store.Agent) {
		add("country", a.Country, "region", a.Region, "city", a.City, "device_type", a.DeviceType, "browser_name",
			a.BrowserName,
			"browser_version", a.BrowserVersion, "os_name", a.OSName, "os_version", a.OSVersion)
	}
	for _, e := range b.Events {
		agent(e.Agent)
		add("referrer", e.ReferrerDomain, "utm_source", e.UTMSource, "utm_medium", e.UTMMedium, "utm_campaign",
			e.UTMCampaign,
			"utm_term", e.UTMTerm, "utm_content", e.UTMContent, "gclid", e.GCLID, "language", e.Language, "timezone",
			e.Timezone,
			"screen_resolution", e.Screen, "entry_page", e.Path, "exit_page", e.Path, "path", e.Path, "title", e.Title,
			"event_name", e.Name, "namespace", e.Namespace,
			"session_id", e.SessionID, "anonymous_id", e.AnonymousID, "profile_id", e.ProfileID, "website", e.Website)
		if e.Kind == store.Click {
			add("href", e.Href, "text", e.Text)
		}
	}
	for _, e := range b.Errors {
		add("message", e.Message, "error_type", e.ErrorType)
	}
	for _, v := range b.Vitals {
		add("metric_name", v.Samples[0].Metric)
	}
	for _, o := range b.Blocked {
		add("reason", o.Reason, "bot_name", o.Bot)
	}
	for _, k := range b.Checks {
		add("probe_region", k.Region)
	}
	for _, values := range found {
		slices.SortFunc(values, strings.Compare) // the order of the batch may vary
	}
	return found
}
