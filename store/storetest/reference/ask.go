package reference

import (
	"fmt"
	"slices"
	"time"
)

// ask checks a question, and returns its evaluation and the time it asks about.
func (d *Data) ask(q Question) (*evaluation, reach, error) {
	kind, err := d.kindOf(&q)
	if err != nil {
		return nil, reach{}, err
	}
	now := q.Now.UnixMilli()
	s := d.sites[q.Subject]
	if s == nil {
		s = &site{}
	}
	if q.Websites != nil {
		s = d.several(q.Websites)
		if kind.listsRows() {
			kind.Columns = append(slices.Clone(kind.Columns), Column{websiteField, Name})
		}
	}
	if len(q.Mandatory) > 0 {
		s = d.seen(s, q.Mandatory)
	}
	asked, p, err := q.period(now, s)
	if err != nil {
		return nil, reach{}, err
	}
	days := asked.days
	if slices.ContainsFunc(q.Filters, Filter.asksDeeds) && kind.Window == Range && days.length() > mostDeedDays {
		return nil, reach{}, fmt.Errorf("%w: did in a range of more than %d days", ErrFilter, mostDeedDays)
	}
	if err := kind.checkCohorts(p); err != nil {
		return nil, reach{}, err
	}
	begun := p.begunAt(now + 1)
	if kind.Window != Range {
		p = p.clock.recent(kind.Window, now)
	}
	groupBy := q.GroupBy
	if q.Metrics != nil {
		groupBy = slices.DeleteFunc(slices.Clone(q.Dimensions), func(f string) bool { return f == "date" })
	}
	return &evaluation{
		names: d.names, q: q, kind: kind, groupBy: groupBy, filters: d.names.prepare(q.Filters),
		site: s, period: p, now: now, begun: begun,
	}, asked, nil
}

// kindOf returns the type of q, or a type made for its choice of metrics, and checks q.
func (d *Data) kindOf(q *Question) (Type, error) {
	kind, err := d.typeOf(q)
	if err != nil {
		return Type{}, err
	}
	if err := (place{allows: kind.Allows, mandatory: true}).check(q.Mandatory); err != nil {
		return Type{}, err
	}
	if err := (place{allows: kind.Allows}).check(q.Filters); err != nil {
		return Type{}, err
	}
	for i, f := range q.GroupBy {
		if !kind.groups(f) || slices.Contains(q.GroupBy[:i], f) {
			return Type{}, fmt.Errorf("%w: %q", ErrGroupBy, f)
		}
	}
	if kind.NeedsSession && !slices.ContainsFunc(q.Filters, Filter.namesSession) {
		return Type{}, ErrNeedsSession
	}
	if !slices.Contains([]string{"", "asc", "desc"}, q.SortOrder) || kind.fixed && q.SortBy != "" {
		return Type{}, fmt.Errorf("%w: %s %s", ErrSort, q.SortBy, q.SortOrder)
	}
	return kind, kind.checkParts(q)
}

func (d *Data) typeOf(q *Question) (Type, error) {
	if q.Metrics != nil {
		return choiceOf(q)
	}
	kind, ok := d.types[q.Type]
	if !ok || kind.Kind != q.Subject.Kind {
		return Type{}, fmt.Errorf("%w: %s of a %s", ErrType, q.Type, q.Subject.Kind)
	}
	return kind, nil
}

// mostDays is the largest number of days of a range.
const mostDays = 3660

// period returns the time range of q and its buckets. s has the rows that all_time begins with.
func (q Question) period(now int64, s *site) (reach, *period, error) {
	clock, err := clockOf(q.Zone)
	if err != nil {
		return reach{}, nil, err
	}
	if r, ok := clock.lately(q.Preset, now); ok {
		return r, newPeriod(clock, r, q.buckets()), nil
	}
	if q.Preset != "" {
		today := clock.today(now)
		if q.Complete {
			today = today.AddDate(0, 0, -1)
		}
		start, end := Preset(q.Preset, today, q.WeekStart)
		if q.Preset == AllTime {
			start = s.firstDay(clock, end)
		}
		q.StartDate, q.EndDate = start.Format(time.DateOnly), end.Format(time.DateOnly)
	}
	r, err := clock.reach(q.StartDate, q.EndDate)
	if err != nil {
		return reach{}, nil, err
	}
	return r, newPeriod(clock, r, q.buckets()), nil
}

// AllTime is the preset of the days since the first row.
const AllTime = "all_time"

// firstDay returns the day of the first row, or today if that is earlier or there are no rows. Today is the last of at
// most mostDays days.
func (s *site) firstDay(c clock, today time.Time) time.Time {
	first := today
	for _, r := range s.rows {
		if day := c.today(r.at); day.Before(first) {
			first = day
		}
	}
	if earliest := today.AddDate(0, 0, 1-mostDays); first.Before(earliest) {
		return earliest
	}
	return first
}
