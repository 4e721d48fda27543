package importer

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Plan says what an import would store, see [Config.DryRun].
type Plan struct {
	Days    []PlannedDay    `json:"days"`    // with rows, in their order
	Sources []PlannedSource `json:"sources"` // of pageviews, the largest first; at most 20
	// Profiles is the number of profiles of exports.
	Profiles int64 `json:"profiles"`
}

// A PlannedDay is a UTC day.
type PlannedDay struct {
	Day    string `json:"day"`    // such as 2026-11-20
	Rows   int64  `json:"rows"`   // of all tables
	People int64  `json:"people"` // visitors, or profiles of rows without a visitor
	// Stored is the number of events that the website has of the day already: tracked ones, or of earlier imports.
	Stored int64 `json:"stored"`
}

// A PlannedSource is a domain or campaign that people come from. The empty name means that none is known.
type PlannedSource struct {
	Name      string `json:"name"`
	Pageviews int64  `json:"pageviews"`
}

const (
	plannedSources = 20
	maxSources     = 100_000 // names that are counted
)

// A planner collects a Plan.
type planner struct {
	seed     maphash.Seed
	rows     map[int64]int64               // by day since 1970
	people   map[int64]map[uint64]struct{} // hashes of ids by day
	sources  map[string]int64
	profiles int64
}

func newPlanner() *planner {
	return &planner{maphash.MakeSeed(), map[int64]int64{}, map[int64]map[uint64]struct{}{}, map[string]int64{}, 0}
}

const dayMillis = 24 * 60 * 60 * 1000

// add counts the rows of b, which the stores accept, and profiles.
func (p *planner) add(b *store.Batch, profiles int) {
	p.profiles += int64(profiles)
	_ = schema.Items(b, func(it schema.Item) { p.rows[it.Millis/dayMillis]++ }) // b was checked
	for i := range b.Events {
		e := &b.Events[i]
		day := e.Time.UnixMilli() / dayMillis
		if p.people[day] == nil {
			p.people[day] = map[uint64]struct{}{}
		}
		if id := cmp.Or(e.AnonymousID, e.ProfileID); id != "" {
			p.people[day][maphash.String(p.seed, id)] = struct{}{}
		}
		if _, known := p.sources[e.ReferrerDomain]; e.Kind == store.Pageview && (known || len(p.sources) < maxSources) {
			p.sources[e.ReferrerDomain]++
		}
	}
}

// plan returns the Plan, with the stored rows of website in target.
func (p *planner) plan(ctx context.Context, target store.Store, website string) (*Plan, error) {
	plan := &Plan{Profiles: p.profiles}
	for _, day := range slices.Sorted(maps.Keys(p.rows)) {
		stored, err := storedEvents(ctx, target, website, day*dayMillis)
		if err != nil {
			return nil, err
		}
		plan.Days = append(plan.Days, PlannedDay{
			Day:  time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly),
			Rows: p.rows[day], People: int64(len(p.people[day])), Stored: stored,
		})
	}
	for name, n := range p.sources {
		plan.Sources = append(plan.Sources, PlannedSource{name, n})
	}
	slices.SortFunc(plan.Sources, func(a, b PlannedSource) int {
		return cmp.Or(cmp.Compare(b.Pageviews, a.Pageviews), cmp.Compare(a.Name, b.Name))
	})
	plan.Sources = plan.Sources[:min(len(plan.Sources), plannedSources)]
	return plan, nil
}

// storedEvents returns the number of events of a website in the day that begins at a time.
func storedEvents(ctx context.Context, target store.Store, website string, from int64) (int64, error) {
	d := target.Dialect()
	rows, err := target.Query(ctx, store.Statement{
		Label: "import",
		SQL: "SELECT " + d.Call(dialect.Count) + " AS n FROM " + schema.Events.String() + " AS t" +
			" WHERE t.subject = " + d.Arg("subject", dialect.Subject) +
			" AND t.time >= " + d.Arg("since", dialect.Int) + " AND t.time < " + d.Arg("until", dialect.Int),
		Args: []dialect.Arg{
			{Name: "subject", Kind: dialect.Subject, Value: store.Subject{Kind: store.KindWebsite, ID: website}},
			{Name: "since", Kind: dialect.Int, Value: from},
			{Name: "until", Kind: dialect.Int, Value: from + dayMillis},
		},
		Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		return 0, err
	}
	return rows.Columns[0].Ints[0], nil
}
