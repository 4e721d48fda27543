package keep

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/codec"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// Partials of all state sets of busy websites are stored, of days that have been over for at least a day, so that
// hardly any is stored twice. Partials of questions with filters, and of the ends of ranges, stay in memory.

const (
	BatchShare  = 8       // this part of the memory for partials is for those that are to be stored
	builtAtOnce = 3       // days that are built and stored together at first; then twice as many while there is room
	savedAtOnce = 4 << 20 // about how many bytes are stored at once: meanwhile a store may take no rows
)

// store stores the states of a website, of the latest days first, and reports whether it is done. Partials of a day are
// stored together, with the same dictionaries. Partials that were computed when it stopped stay in memory until the
// next call. It skips a website with fewer pageviews a day.
func (s *States) store(ctx context.Context, website store.Subject, days []calendar.Interval, pageviews int64,
	stop func() bool) (done bool, err error) {
	s.storing.Lock()
	defer s.storing.Unlock()
	b := &batch{merger: s.merger, from: pageviews, website: website, known: s.merger.Partials.Of(website),
		sets: s.merger.StateSets()}
	if err := s.merger.ListStored(ctx, b.known, website); err != nil { // anew: other processes may have stored more
		return true, err
	}
	for atOnce := builtAtOnce; len(days) > 0; {
		n := max(0, len(days)-atOnce)
		b.site, b.days, b.built, b.unread = s.batch.Of(website), days[n:], nil, false
		switch done, err := b.build(ctx, stop); {
		case errors.Is(err, errNotBusy):
			n = 0
		case errors.Is(err, merge.ErrNoRoom):
			n, atOnce = len(days), len(b.days)/2
		case err != nil || !done:
			return err != nil, err
		case len(b.built) > 0 && s.batch.Size() < s.batch.MaxBytes()/8:
			atOnce = min(2*atOnce, merge.ComputedAtOnce)
		}
		if b.unread { // states of these days are due again
			n = len(days)
		}
		days = days[:n]
		s.batch.Forget(website)
	}
	// The partials of an older program go. Its totals stay: nothing can make them again.
	if kinds, numbers := merge.PartialKinds(), b.sets.Numbers(); b.known.Stored.HasOthers(kinds, numbers) {
		return true, s.merger.Keeper.DropStates(ctx, website, kinds, numbers)
	}
	return true, nil
}

// errNotBusy: the website has fewer pageviews than Options.StoreFrom.
var errNotBusy = errors.New("query: the website is not busy")

// A batch makes states of some days.
type batch struct {
	merger  *merge.Merger
	website store.Subject
	from    int64            // pageviews a day
	site    *memory.Partials // that has the partials until they are stored
	known   *memory.Partials // that knows what is stored
	sets    merge.StateSets
	days    []calendar.Interval
	built   []built
	unread  bool // states cannot be read any more, since their dictionaries were replaced

	snapshot *days.Snapshot // of days and those around them; nil: not read yet
}

// A built state set has its partials in memory of the days that are due.
type built struct {
	set *merge.StateSet
	*merge.Lookup
	versions []uint64 // by day
	due      []int    // days
}

// build computes and stores what the store lacks of the days, and reports whether it was done before it was time to
// stop.
func (b *batch) build(ctx context.Context, stop func() bool) (done bool, err error) {
	// versions and seals are of one time, as in GatherPart; a day that changes later is stored for nothing
	b.snapshot = nil
	for i, set := range b.sets.All {
		one, err := b.gather(ctx, set)
		if merge.TooLarge(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		if len(one.due) == 0 {
			continue
		}
		if i == 0 && one.pageviews() < b.from*int64(len(one.due)) {
			return false, errNotBusy
		}
		if b.built = append(b.built, one); stop() {
			return false, nil
		}
	}
	if len(b.built) == 0 {
		return true, nil
	}
	dictionaries, states, err := b.encode(ctx)
	if err == nil {
		err = b.store(ctx, dictionaries, states)
	}
	return true, err
}

// gather computes the partials of a state set, of the days that are due.
func (b *batch) gather(ctx context.Context, set *merge.StateSet) (one built, err error) {
	one = built{set: set, Lookup: set.Lookup(b.merger, b.site, b.website, b.days)}
	one.Snapshot = b.snapshot
	if err := one.Load(ctx); err != nil {
		return one, err
	}
	b.snapshot = one.Snapshot
	one.versions = one.Lookup.Versions(set.Part)
	for i, stored := range b.known.Stored.Versions(set.Names.State, b.days) {
		if stored < one.versions[i] {
			one.due = append(one.due, i)
		}
	}
	if len(one.due) == 0 {
		return one, nil
	}
	b.site.Use(set.Aggregates)
	missing := slices.DeleteFunc(one.Look(set.Part, one.versions),
		func(i int) bool { return !slices.Contains(one.due, i) })
	return one, one.ComputeAll(ctx, set.Part, missing, one.versions)
}

// pageviews returns the pageviews of the days that are due: the count of the first state set.
func (o *built) pageviews() int64 {
	var of []state.Source
	for _, i := range o.due {
		if p := o.Found[o.set.Part.Count][i]; p != nil {
			of = append(of, state.Source{Partial: p, Rows: make([]int32, calendar.Day/merge.Quarter)})
		}
	}
	return state.Sums(1, of)[0]
}

// encode makes the states that are to be stored, and the dictionaries that are new.
func (b *batch) encode(ctx context.Context) (dictionaries, states []store.State, err error) {
	if err := b.site.Lock(ctx); err != nil {
		return nil, nil, err
	}
	defer b.site.Unlock()
	if err := b.loadDictionaries(ctx); err != nil {
		return nil, nil, err
	}
	due := 0
	for i, of := range b.days {
		newer, more := b.encodeDay(i, of)
		dictionaries, states = append(dictionaries, newer...), append(states, more...)
	}
	for _, one := range b.built {
		due += len(one.due)
	}
	if len(states) < due && len(b.days) > 1 {
		return nil, nil, merge.ErrNoRoom
	}
	return dictionaries, states, nil
}

// loadDictionaries loads the stored dictionaries, so that later states are stored with the same ones.
func (b *batch) loadDictionaries(ctx context.Context) error {
	wanted := map[store.StateName]string{} // members, by the name of their dictionary
	for _, one := range b.built {
		for _, members := range one.set.Unknown(b.site, one.set.Aggregates, b.days) {
			wanted[one.set.Names.Dictionaries[members]] = members
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := b.merger.ReadStates(ctx, b.website, slices.Collect(maps.Keys(wanted)), b.days)
	for name, members := range wanted {
		for _, of := range b.days {
			stored, ok := found[merge.StoredName{Name: name, Of: of}]
			if !ok || b.site.Dictionary(members, of) != nil {
				continue
			}
			if read, err := codec.ReadDictionary(stored.Bytes); err == nil { // a damaged one is replaced
				read.Keep(b.site, members, of)
			}
		}
	}
	return err
}

// encodeDay makes the states of the i-th day.
func (b *batch) encodeDay(i int, of calendar.Interval) (dictionaries, states []store.State) {
	var sets []*codec.StateSet
	var found [][]*state.Partial
	start, rows, names := time.UnixMilli(of.From).UTC(), uint64(0), map[string]store.StateName{}
	for _, one := range b.built {
		partials := one.set.Partials(b.site, of, one.versions[i])
		if !slices.Contains(one.due, i) || partials == nil {
			continue
		}
		sets, found = append(sets, &one.set.StateSet), append(found, partials)
		rows = one.Snapshot.Version(of)
		states = append(states, store.State{StateName: one.set.Names.State, Day: start, Version: one.versions[i],
			Rows: rows})
		for members, name := range one.set.Names.Dictionaries {
			names[members] = name
		}
	}
	e := codec.Encode(b.site, of, sets, found)
	for j := range states {
		states[j].Bytes = e.States[j]
	}
	for members, bytes := range e.Dictionaries {
		dictionaries = append(dictionaries, b.replaced(members, of, rows, states)...)
		dictionaries = append(dictionaries,
			store.State{StateName: names[members], Day: start, Version: rows, Rows: rows, Bytes: bytes})
	}
	return dictionaries, states
}

// replaced notes that states with the dictionary of a day have to be computed again, since there is a new dictionary.
// It returns states to store in place of those that are not among new ones: nobody may take these for states of the
// rows.
func (b *batch) replaced(members string, of calendar.Interval, rows uint64,
	newer []store.State) (unread []store.State) {
	b.known.PutDictionary(members, of, nil)
	for _, set := range b.sets.All {
		if _, has := set.Names.Dictionaries[members]; !has {
			continue
		}
		known := b.known.Stored.Versions(set.Names.State, []calendar.Interval{of})[0] > 0
		isNewer := func(one store.State) bool { return one.StateName == set.Names.State }
		if known && !slices.ContainsFunc(newer, isNewer) {
			start := time.UnixMilli(of.From).UTC()
			unread = append(unread, store.State{StateName: set.Names.State, Day: start, Rows: rows})
			b.unread = true
		}
		b.known.Stored.Note([]memory.StoredVersion{{Name: set.Names.State, Of: of}})
	}
	return unread
}

// store stores first the dictionaries, without which no state can be read, each after what takes the place of states
// that need the old one.
func (b *batch) store(ctx context.Context, dictionaries, states []store.State) error {
	slices.SortStableFunc(states, func(a, b store.State) int { return cmp.Compare(a.Number, b.Number) })
	all := append(dictionaries, states...)
	for len(all) > 0 {
		n, bytes := 0, 0
		for n < len(all) && bytes < savedAtOnce {
			bytes += len(all[n].Bytes)
			n++
		}
		save := func(ctx context.Context) error { return b.merger.Keeper.SaveStates(ctx, b.website, all[:n]) }
		if err := b.merger.Background.Do(ctx, 0, save); err != nil {
			return err
		}
		noted := make([]memory.StoredVersion, n)
		for i, one := range all[:n] {
			noted[i] = memory.StoredVersion{Name: one.StateName, Of: merge.DayOf(one.Day), Version: one.Version}
		}
		b.known.Stored.Note(noted)
		all = all[n:]
	}
	return nil
}
