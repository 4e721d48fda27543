package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A Dataset is the kind of rows from which a choice of metrics is computed.
type Dataset struct {
	Name       string
	Kind       store.SubjectKind
	Metrics    []string // without the metrics of properties; percentage is one of every dataset
	Dimensions []string // without date, and without the properties of events
	Filters    []string // without did, and without the properties of events
	Events     bool     // the rows are events, which have properties and an event_name
	Properties bool     // there are metrics of properties

	counts   func(*row) bool     // the rows that are counted; nil if it counts sessions
	door     func(*session) *row // the pageview that is counted for each session; nil for all pageviews
	formulas map[string]formula  // all Metrics
}

// A portion has all that belongs to one row of an answer.
type portion struct {
	rows     []*row // of the dataset
	events   []*row // all events that count, of any kind
	sessions []*session
}

// A formula computes the value of a metric.
type formula func(*portion) value

// Datasets returns the datasets of choices.
func Datasets() []Dataset {
	list := []Dataset{
		{
			Name: "pageviews", Events: true, Properties: true, counts: of(pageview), Filters: []string{"title"},
			formulas: merge(sessionFormulas(), pageFormulas()),
		},
		{Name: "entries", Events: true, door: (*session).entry, formulas: merge(sessionFormulas(), doorFormulas())},
		{Name: "exits", Events: true, door: (*session).exit, formulas: merge(sessionFormulas(), doorFormulas())},
		{Name: "sessions", Events: true,
			formulas: merge(sessionFormulas(), map[string]formula{"visitors": sessionVisitors})},
		{
			Name: "events", Events: true, Properties: true, counts: (*row).named, Filters: []string{"namespace"},
			formulas: map[string]formula{
				"total_events": countRows, "unique_users": distinct((*row).Visitor),
				"unique_sessions":        distinct(sessionID),
				"events_with_properties": func(p *portion) value { return count(p.tally().withProperties) },
			},
		},
		{
			Name: "clicks", Events: true, Properties: true, counts: of(click), Filters: []string{"href", "text"},
			formulas: map[string]formula{
				"total_clicks": countRows, "unique_users": distinct((*row).Visitor),
				"unique_sessions": distinct(sessionID),
				"unique_links":    distinct(func(r *row) string { return r.href }),
			},
		},
		{
			Name: "errors", counts: of(errorRow), Filters: []string{"message", "error_type"},
			formulas: map[string]formula{
				"count": countRows, "users": distinct((*row).Visitor), "sessions": distinct(sessionID),
				"unique_messages": distinct(func(r *row) string { return r.message }),
			},
		},
		{Name: "vitals", counts: of(vitalRow), Filters: []string{"metric_name"}, formulas: vitalFormulas()},
		{
			Name: "link_visits", Kind: store.KindLink, counts: of(visit),
			formulas: map[string]formula{"clicks": countRows},
			Filters:  []string{"referrer", "country", "region", "city", "device_type", "browser_name"},
		},
		{Name: "checks", Kind: store.KindSchedule, counts: of(check), Filters: []string{"probe_region"},
			formulas: checkFormulas()},
		{
			Name: "blocked", counts: of(blockedRow), Filters: []string{"reason", "bot_name"},
			formulas: map[string]formula{"requests": func(p *portion) value {
				var t blockedTally
				for _, r := range p.rows {
					t.add(r)
				}
				return count(t.requests)
			}},
		},
	}
	for i := range list {
		d := &list[i]
		for name := range d.formulas {
			d.Metrics = append(d.Metrics, name)
		}
		slices.Sort(d.Metrics)
		d.Metrics = append(d.Metrics, "percentage")
		d.Dimensions = d.Filters
		if d.Kind == "" {
			d.Kind = store.KindWebsite
		}
		if d.Kind == store.KindWebsite && d.Name != "blocked" {
			d.Dimensions = slices.Concat(sessionFields, []string{"path"}, d.Filters)
			d.Filters = rowFields(d.Filters...)
		}
	}
	return list
}

func merge(all ...map[string]formula) map[string]formula {
	merged := map[string]formula{}
	for _, m := range all {
		for name, one := range m {
			merged[name] = one
		}
	}
	return merged
}

// DatasetOf returns a dataset, and whether there is one of that name.
func DatasetOf(name string) (Dataset, bool) {
	list := Datasets()
	i := slices.IndexFunc(list, func(d Dataset) bool { return d.Name == name })
	if i < 0 {
		return Dataset{}, false
	}
	return list[i], true
}

func sessionID(r *row) string { return r.SessionID }

func countRows(p *portion) value { return count(len(p.rows)) }

// distinct counts different texts that are not empty.
func distinct(text func(*row) string) formula {
	return func(p *portion) value {
		var different set
		for _, r := range p.rows {
			different.add(text(r))
		}
		return count(len(different))
	}
}

// tally returns the numbers of the rows.
func (p *portion) tally() *eventTally {
	t := &eventTally{}
	for _, r := range p.rows {
		t.add(r)
	}
	return t
}

// visits returns the numbers of the sessions and rows.
func (p *portion) visits() *visitTally {
	t := &visitTally{pageviews: len(p.rows), events: len(p.events)}
	for _, s := range p.sessions {
		t.add(s)
	}
	return t
}

func sessionVisitors(p *portion) value {
	var visitors set
	for _, s := range p.sessions {
		visitors.add(s.first.Visitor())
	}
	return count(len(visitors))
}

func sessionFormulas() map[string]formula {
	return map[string]formula{
		"sessions":                func(p *portion) value { return p.visits().countVisits() },
		"bounce_rate":             func(p *portion) value { return p.visits().bounceRate() },
		"avg_session_duration":    func(p *portion) value { return p.visits().averageTime() },
		"median_session_duration": func(p *portion) value { return p.visits().medianTime() },
	}
}

func pageFormulas() map[string]formula {
	mean := func(get func(*row) store.Measure) formula {
		return func(p *portion) value {
			var list []int64
			for _, r := range p.rows {
				keep(&list, get(r))
			}
			return fraction(average(list))
		}
	}
	return map[string]formula{
		"pageviews": countRows, "visitors": distinct((*row).Visitor),
		"total_events":       func(p *portion) value { return p.visits().countActions() },
		"pages_per_session":  func(p *portion) value { return p.visits().pagesPer() },
		"avg_load_time":      mean(func(r *row) store.Measure { return r.loadTime }),
		"avg_dom_ready_time": mean(func(r *row) store.Measure { return r.domReady }),
		"avg_ttfb":           mean(func(r *row) store.Measure { return r.ttfb }),
	}
}

// doorFormulas counts one pageview for each session.
func doorFormulas() map[string]formula {
	return map[string]formula{
		"visitors":  sessionVisitors,
		"pageviews": func(p *portion) value { return count(len(p.sessions)) },
	}
}

func vitalFormulas() map[string]formula {
	all := map[string]formula{"samples": countRows, "visitors": distinct((*row).Visitor)}
	for i, name := range []string{"p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb"} {
		all[name] = func(p *portion) value {
			var t pageTally
			for _, r := range p.rows {
				t.sample(r)
			}
			return t.p75s()[i]
		}
	}
	return all
}

func checkFormulas() map[string]formula {
	of := func(get func(*uptimeTally) value) formula {
		return func(p *portion) value {
			var t uptimeTally
			for _, r := range p.rows {
				t.add(r)
			}
			return get(&t)
		}
	}
	all := map[string]formula{
		"uptime_percentage":  of((*uptimeTally).percentage),
		"total_checks":       of((*uptimeTally).checks),
		"successful_checks":  of(func(t *uptimeTally) value { return count(t.up) }),
		"invalid_ssl_checks": of(func(t *uptimeTally) value { return count(t.invalid) }),
		"avg_response_time":  of(func(t *uptimeTally) value { return fraction(average(t.total)) }),
		"avg_ttfb":           of(func(t *uptimeTally) value { return fraction(average(t.ttfb)) }),
	}
	for name, percent := range map[string]int64{"p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "min": 0,
		"max": 100} {
		all[name+"_response_time"] = of(func(t *uptimeTally) value { return percentiles(t.total, percent)[0] })
	}
	for name, percent := range map[string]int64{"p50": 50, "p95": 95} {
		all[name+"_ttfb"] = of(func(t *uptimeTally) value { return percentiles(t.ttfb, percent)[0] })
	}
	return all
}
