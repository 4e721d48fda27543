package notify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A habit says how many pageviews a website had at a time of the day in the weeks before.
type habit struct {
	hour   time.Time
	counts []float64
}

// silence evaluates notices about silence. Only of websites without pageviews the weeks before are asked for, once an
// hour.
func (e *evaluation) silence(ctx context.Context, all []*task) {
	byMinutes := map[int][]*task{}
	for _, t := range all {
		byMinutes[t.notice.Silence()] = append(byMinutes[t.notice.Silence()], t)
	}
	for _, group := range byMinutes {
		for sites := range slices.Chunk(sitesOf(group), query.MaxWebsites) {
			if err := e.silenceOf(ctx, group, sites); err != nil {
				e.fault(err)
			}
		}
	}
}

// pageviews asks for the number of pageviews.
func pageviews() query.Parameter {
	return query.Parameter{Metrics: []query.ChosenMetric{{Name: "pageviews"}}}
}

func (e *evaluation) silenceOf(ctx context.Context, group []*task, sites []store.Website) error {
	n := group[0].notice
	from, to := n.Window(e.now)
	found, err := e.read(ctx, pageviews(), "pageviews", sites, n.Between(from, to))
	if err != nil {
		return err
	}
	silent := slices.DeleteFunc(slices.Clone(sites), func(site store.Website) bool {
		value := found[site.ID].value
		return value == nil || *value > 0
	})
	habits, err := e.habits(ctx, n, silent, from, to)
	if err != nil {
		return err
	}
	for _, t := range group {
		one, ok := found[t.site.ID]
		if !ok || one.value == nil {
			continue
		}
		e.decide(ctx, t, notice.JudgeSilence(*one.value, habits[t.site.ID], e.state(t).On), notice.Facts{})
	}
	return nil
}

// habits returns what silent websites usually have at this time.
func (e *evaluation) habits(ctx context.Context, n *notice.Notice, sites []store.Website, from, to time.Time) (
	map[string][]float64, error) {
	hour := to.Truncate(time.Hour)
	key := func(site store.Website) string { return fmt.Sprint(site.ID, " ", n.Silence(), " ", n.Location()) }
	var unknown []store.Website
	for _, site := range sites {
		if !e.round.busy[key(site)].hour.Equal(hour) {
			unknown = append(unknown, site)
		}
	}
	if len(unknown) > 0 {
		counts := map[string][]float64{}
		var starts []time.Time
		for week := 1; week <= notice.UsualWeeks; week++ {
			start, end := n.Before(from, to, week)
			found, err := e.read(ctx, pageviews(), "pageviews", unknown, n.Between(start, end))
			if err != nil {
				return nil, err
			}
			starts = append(starts, start)
			for id, one := range found {
				counts[id] = append(counts[id], *one.value)
			}
		}
		for _, site := range unknown {
			e.round.busy[key(site)] = habit{hour, notice.Known(counts[site.ID], starts, site.CreatedAt)}
		}
	}
	all := map[string][]float64{}
	for _, site := range sites {
		all[site.ID] = e.round.busy[key(site)].counts
	}
	return all, nil
}

// checks evaluates notices about monitors: each monitor of the website, or the one of the notice.
func (e *evaluation) checks(ctx context.Context, all []*task) {
	up := map[string]notice.Verdict{} // by monitor
	for _, t := range all {
		monitors, err := e.monitorsOf(ctx, t.Owner)
		if err != nil {
			e.fault(err)
			continue
		}
		for _, m := range monitors {
			if m.ID != t.notice.Monitor && (t.notice.Monitor != "" || m.WebsiteID != t.site.ID) {
				continue
			}
			v, known := up[m.ID]
			if !known {
				if v, err = e.check(ctx, m); err != nil {
					e.fault(err)
					continue
				}
				up[m.ID] = v
			}
			one := *t
			one.about = m.ID
			name := m.Name
			if name == "" {
				name = m.URL
			}
			e.decide(ctx, &one, v, notice.Facts{About: name})
		}
	}
}

func (e *evaluation) monitorsOf(ctx context.Context, owner string) ([]store.Monitor, error) {
	known, ok := e.monitors[owner]
	if ok || e.cfg.Subjects == nil {
		return known, nil
	}
	found, err := e.cfg.Subjects.Monitors(ctx, owner)
	if err == nil {
		e.monitors[owner] = found
	}
	return found, err
}

// The statuses of checks that say something.
const (
	isDown = 0
	isUp   = 1
)

// check returns whether the latest check of a monitor within a day found it down.
func (e *evaluation) check(ctx context.Context, m store.Monitor) (notice.Verdict, error) {
	answer, err := e.run(ctx, query.Access{Subject: store.Subject{Kind: store.KindSchedule, ID: m.ID}},
		query.Request{Parameters: []query.Parameter{{Name: "uptime_recent_checks"}},
			Options: query.Options{Preset: "last_24h", Limit: new(10)}})
	if err != nil {
		return notice.Unknown, err
	}
	table := answer.Data[0].Data
	for row := range table.Len() {
		switch table.Column("status").Whole(row) {
		case isDown:
			return notice.Holds, nil
		case isUp:
			return notice.Rests, nil
		}
	}
	return notice.Unknown, nil
}

// maxVariants is the most variants of all flags of a website that are looked at.
const maxVariants = 1000

// experiments evaluates notices about experiments, once an hour.
func (e *evaluation) experiments(ctx context.Context, all []*task) {
	for _, t := range all {
		answer, err := e.run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: t.site.ID}},
			query.Request{Parameters: []query.Parameter{{Name: "flag_outcomes"}},
				TimeZone: t.notice.Location().String(),
				Options:  query.Options{Preset: "last_90d", Limit: new(maxVariants)}})
		if err != nil {
			e.fault(err)
			continue
		}
		table := answer.Data[0].Data
		variants := map[string][]notice.Variant{}
		var flags []string
		for row := range table.Len() {
			flag := table.Column("flag").Text(row)
			if t.notice.Flag != "" && flag != t.notice.Flag {
				continue
			}
			if variants[flag] == nil {
				flags = append(flags, flag)
			}
			variants[flag] = append(variants[flag], notice.Variant{Name: table.Column("variant").Text(row),
				Visitors: table.Column("visitors").Number(row), Converted: table.Column("converted").Number(row)})
		}
		for _, flag := range flags {
			one := *t
			one.about = t.site.ID + "/" + flag
			best, next, decided := notice.Decided(variants[flag])
			v := notice.Rests
			if decided {
				v = notice.Holds
			} else if e.state(&one).On {
				v = notice.Unknown // it was decided; old exposures leave the range of days
			}
			e.decide(ctx, &one, v, notice.Facts{About: flag, Best: best, Other: next})
		}
		e.round.looked[t.key()] = t.period
	}
}

// backupProbe is the name of the warning about backups in the report of the health checker.
const backupProbe = "backup"

// backups evaluates notices about the regular backup.
func (e *evaluation) backups(ctx context.Context, all []*task) {
	if len(all) == 0 || e.cfg.Health == nil {
		return
	}
	v := notice.Rests
	if works, known := e.cfg.Health.Check(ctx).Checks[backupProbe]; known && !works {
		v = notice.Holds
	}
	for _, t := range all {
		e.decide(ctx, t, v, notice.Facts{})
	}
}

// quotas evaluates notices about quotas, once an hour.
func (e *evaluation) quotas(ctx context.Context, all []*task) {
	first := time.Date(e.now.UTC().Year(), e.now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	for _, t := range all {
		limit := t.site.Rules.MonthlyEvents
		v, used := notice.Rests, int64(0)
		if limit > 0 && e.cfg.Usage != nil {
			var err error
			if used, err = e.cfg.Usage.Events(ctx, t.site.ID, first, first.AddDate(0, 1, 0)); err != nil {
				e.fault(err)
				continue
			}
			if used*100 >= limit*int64(t.notice.Share()) {
				v = notice.Holds
			}
		}
		e.decide(ctx, t, v, notice.Facts{Used: used, Limit: limit})
	}
}
