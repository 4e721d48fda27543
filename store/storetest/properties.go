package storetest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// A property holds for every type of the catalog and any rows.
type property struct {
	name string
	// holds asks questions about one type and returns violations of the property.
	holds func(c *client, info query.Info) []string
	// mutation names a mistake that the property must notice, and plant makes it.
	mutation string
	plant    func(c *client)
}

func properties() []property {
	return []property{
		{"all pages together equal one big page", pagesConcatenate,
			"every page is the first", asked(func(q *question) { q.req.Page = 1 })},
		{"eq x equals in [x]", eqIsIn,
			"in accepts everything", asked(dropIn)},
		{"eq x and ne x together are everything", eqAndNe,
			"ne drops rows without a value", asked(neDropsAbsent)},
		{"the order of filters does not matter", filtersCommute,
			"only the first filter counts",
			asked(func(q *question) { q.req.Filters = q.req.Filters[:min(1, len(q.req.Filters))] })},
		{"a filter never raises a count", filtersNeverRaise,
			"a filtered range is one day longer", asked(longerWhenFiltered)},
		{"hours sum to days", hoursSumToDays,
			"hours are queried in UTC", asked(func(q *question) { inUTC(q, q.req.Granularity == "hourly") })},
		{"minutes sum to their range", minutesSumToRange,
			"minutes end with the first", asked(lessOfMinutes)},
		{"midnights bound the same range as days", midnightsAreDays,
			"times are in UTC", asked(func(q *question) { inUTC(q, strings.Contains(q.req.StartDate, "T")) })},
		{"a preset of times equals its times", presetIsTimes,
			"a series loses its last hour", answered(func(a *answer) { a.cutLast(len(a.rows) == 24) })},
		{"the order by difference has the rows of both periods", differenceHasBoth,
			"it has one row", asked(func(q *question) {
				if q.req.SortBy == query.DifferenceOrder {
					q.req.Limit = new(1)
				}
			})},
		{"days sum to the range", daysSumToRange,
			"ranges of several days are in UTC",
			asked(func(q *question) { inUTC(q, q.req.StartDate != q.req.EndDate) })},
		{"the days of a series sum to the totals", seriesSumsToTotals,
			"a series loses its last day", answered(func(a *answer) { a.cutLast(len(a.rows) > 1) })},
		{"options of a parameter work like options of the request", ownIsAlone,
			"options of a parameter are lost",
			asked(func(q *question) { q.req.Parameters[0] = query.Parameter{Name: q.req.Parameters[0].Name} })},
		{"a preset equals its dates", presetIsDates,
			"presets are days in UTC", asked(func(q *question) { inUTC(q, q.req.Preset != "") })},
		{"shares of a full list sum to 100", sharesSumToHundred,
			"a row is lost after computing shares", answered(func(a *answer) { a.cutLast(len(a.rows) > 1) })},
		{"a type equals the same choice of metrics", namedIsSpelled,
			"choices have no sessions", loseSessionsOfChoices},
		{"a batch equals its queries", batchIsQueries,
			"a batch is answered in reverse order", func(c *client) { c.post = backwards(c.post) }},
		{"GET equals POST", getIsPost,
			"an address loses its filters", func(c *client) { c.get = withoutFilters(c.get) }},
	}
}

// Properties tests properties that hold for every query type and any rows, on random rows from seed. Examples:
// all pages together equal one big page, and the days sum to their range. The test needs no expected values. So
// it covers new types without changes, but new columns of whole numbers and new filter fields must be
// classified.
func Properties(t *testing.T, h Harness, seed uint64) {
	w := dataset.New(seed)
	s := h.filled(t, &w.Batch)
	for nth, p := range properties() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, s, &w)
			for i, info := range c.types {
				if h.SampleEvery > 0 && (i+nth)%h.SampleEvery != 0 {
					continue
				}
				c.rng = rand.New(rand.NewPCG(seed, uint64(i)))
				for _, text := range p.holds(c, info) {
					t.Errorf("%s: %s", info.Name, text)
				}
			}
			for _, text := range c.faults {
				t.Error(text)
			}
		})
	}
	t.Run("a session is listed with its first 200 events", func(t *testing.T) {
		t.Parallel()
		longSession(t, h)
	})
	t.Run("every type returns data", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, s, &w)
		for i, info := range c.types {
			if h.SampleEvery > 0 && i%h.SampleEvery != 0 {
				continue
			}
			c.rng = rand.New(rand.NewPCG(seed, uint64(i)))
			c.mustSpeak(t, info)
		}
	})
}

// PropertiesKillMutants plants a mistake against every property of [Properties], and fails unless each is
// noticed.
func PropertiesKillMutants(t *testing.T, h Harness, seed uint64) {
	w := dataset.New(seed)
	s := h.filled(t, &w.Batch)
	for _, p := range properties() {
		t.Run(p.name+", but "+p.mutation, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, s, &w)
			p.plant(c)
			for i, info := range c.types {
				c.rng = rand.New(rand.NewPCG(seed, uint64(i)))
				if found := p.holds(c, info); len(found) > 0 {
					t.Logf("noticed in %s", info.Name)
					return
				}
			}
			t.Error("the property did not notice the mistake")
		})
	}
}

// mustSpeak fails unless half of the questions about a type return data.
func (c *client) mustSpeak(t *testing.T, info query.Info) {
	t.Helper()
	const tries = 6
	spoken := 0
	for range tries {
		a := c.ask(c.question(info))
		if a.fault == "" && (says(a.json) || len(c.counts(info)) == 0 && len(a.rows) > 0) {
			spoken++
		}
	}
	if spoken < tries/2 {
		t.Errorf("%s: only %d of %d answers have data", info.Name, spoken, tries)
	}
}

// asked plants a mistake in the questions.
func asked(change func(*question)) func(*client) {
	return func(c *client) {
		right := c.ask
		c.ask = func(q question) answer {
			change(&q)
			return right(q)
		}
	}
}

// answered plants a mistake in the answers.
func answered(change func(*answer)) func(*client) {
	return func(c *client) {
		right := c.ask
		c.ask = func(q question) answer {
			a := right(q)
			change(&a)
			return a
		}
	}
}

func dropIn(q *question) {
	if len(q.req.Filters) > 0 && q.req.Filters[len(q.req.Filters)-1].Op == query.In {
		q.req.Filters = q.req.Filters[:len(q.req.Filters)-1]
	}
}

func neDropsAbsent(q *question) {
	for _, f := range q.req.Filters {
		if f.Op == query.Ne {
			q.req.Filters = append(slices.Clip(q.req.Filters),
				query.Filter{Field: f.Field, Op: query.Ne, Values: []string{""}})
			return
		}
	}
}

func longerWhenFiltered(q *question) {
	if len(q.req.Filters) > 0 {
		q.req.EndDate = addDays(q.req.EndDate, 1)
	}
}

func inUTC(q *question, when bool) {
	if when {
		q.req.TimeZone = "UTC"
	}
}
