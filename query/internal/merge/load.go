package merge

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/codec"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

const (
	daysAtOnce = 15 // whose states are read at once
	readAtOnce = 2  // reads at the same time
)

// A loader loads stored states of some aggregates of a state set into memory.
type loader struct {
	*Merger
	site    *memory.Partials
	website store.Subject
	set     *StateSet
	names   SetNames // of set, or of its totals
	some    []state.Aggregate
	as      func(state.Aggregate) state.Aggregate // under which of some they are put into memory; nil: some itself
}

// storedDays has the stored states of some days.
type storedDays struct {
	days         []calendar.Interval
	of           map[StoredName]store.State
	dictionaries map[StoredName]*codec.Dictionary
}

// load loads the states of these days, which are in order, and notes which cannot be read. It reads
// daysAtOnce*readAtOnce days before it decodes them: enough for all processors, and the content of further days takes
// no memory meanwhile. The caller holds the lock of the website.
func (l *loader) load(ctx context.Context, days []calendar.Interval) {
	for chunks := inChunks(days); len(chunks) > 0; {
		read := make([]storedDays, min(len(chunks), readAtOnce))
		l.logFault("reading stored states",
			codec.Parallel(len(read), len(read), func(i int) { read[i] = l.read(ctx, chunks[i]) }))
		l.decode(read)
		chunks = chunks[len(read):]
	}
}

// inChunks splits days at every daysAtOnce days of the calendar.
func inChunks(days []calendar.Interval) (chunks [][]calendar.Interval) {
	for len(days) > 0 {
		n := 1
		for n < len(days) && days[n].From < days[0].From+daysAtOnce*calendar.Day {
			n++
		}
		chunks, days = append(chunks, days[:n]), days[n:]
	}
	return chunks
}

// read reads the states of some days, with their dictionaries. It returns no days if the store fails.
func (l *loader) read(ctx context.Context, days []calendar.Interval) storedDays {
	names := []store.StateName{l.names.State}
	for _, members := range l.set.Unknown(l.site, l.some, days) {
		names = append(names, l.names.Dictionaries[members])
	}
	of, err := l.ReadStates(ctx, l.website, names, days)
	if err != nil {
		return storedDays{}
	}
	return storedDays{days, of, l.names.dictionaries(of, days)}
}

// decode makes partials of the states of all days, and puts them into memory.
func (l *loader) decode(all []storedDays) {
	var states []codec.StoredState
	var unread []memory.StoredVersion
	for _, read := range all {
		for _, day := range read.days {
			found, ok := read.of[StoredName{l.names.State, day}]
			if !ok {
				unread = append(unread, memory.StoredVersion{Name: l.names.State, Of: day})
				continue
			}
			one := codec.StoredState{Of: day, Version: found.Version, State: found.Bytes,
				Dictionaries: map[string]*codec.Dictionary{}}
			for members, name := range l.names.Dictionaries {
				one.Dictionaries[members] = read.dictionaries[StoredName{name, day}]
			}
			states = append(states, one)
		}
	}
	decoded, fault := codec.Load(l.site, &l.set.StateSet, l.some, Quarter, states)
	l.logFault("decoding stored states", fault)
	if len(decoded.Of) > 0 {
		put := slices.Clone(l.some)
		for i := range put {
			if l.as != nil {
				put[i] = l.as(put[i])
			}
		}
		l.site.Put(put, l.set.KeyNames, decoded.Of, decoded.Versions, decoded.Partials)
	}
	for _, day := range decoded.Unread {
		unread = append(unread, memory.StoredVersion{Name: l.names.State, Of: day})
	}
	l.site.Stored.Note(unread)
}

// dictionaries returns the dictionaries that were read and are not damaged.
func (n SetNames) dictionaries(read map[StoredName]store.State,
	days []calendar.Interval) map[StoredName]*codec.Dictionary {
	found := map[StoredName]*codec.Dictionary{}
	for _, name := range n.Dictionaries {
		for _, day := range days {
			at := StoredName{name, day}
			if stored, ok := read[at]; ok {
				if d, err := codec.ReadDictionary(stored.Bytes); err == nil {
					found[at] = d
				}
			}
		}
	}
	return found
}
