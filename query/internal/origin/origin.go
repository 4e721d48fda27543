// Package origin decides which source answers a question.
//
//	facts := origin.Facts{Answer: known}             // what is known, read without side effects
//	facts.Ways = append(facts.Ways, way)
//	decision := origin.Decide(facts)                 // the source, and why not the one before
//
// Whoever answers and whoever only explains read the same facts and decide here. Only the former acts on the decision.
package origin

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
)

// Facts are all that decides about the source of an answer. Facts that were not read count as if their source could not
// answer. So a reader may stop as soon as the decision is another one than a statement.
type Facts struct {
	Answer Answer
	Off    bool  // no answer is merged from partials
	Ways   []Way // to merge the rows, in the order in which they are tried
}

// An Answer says what is known of a remembered answer.
type Answer struct {
	Off        bool // no answer is remembered
	Lasting    bool // it is valid while the versions of its days stay the same, and these are known
	Remembered bool
	Asked      bool // the question was answered before
	Unchanged  bool // it was, and its days had the same versions
}

// why returns the reason why the answer is not remembered, or none if it is.
func (a Answer) why() answer.Reason {
	switch {
	case a.Off:
		return answer.Off
	case !a.Lasting:
		return answer.NotRememberable
	case a.Remembered:
		return ""
	case !a.Asked:
		return answer.FirstAsked
	case !a.Unchanged:
		return answer.DaysChanged
	}
	return answer.NoRoom
}

// A Kind says from which partials rows are merged.
type Kind int

// The kinds of ways.
const (
	Own     Kind = iota // the partials of the question
	OnKeys              // those of the question without the filters on its keys, which choose among the rows
	Totals              // those that were made before the rows of some days were removed because of their age
	Waiting             // as Own, while nobody waits for the answer
)

// A Way says what is known of the partials that an answer may be merged from.
type Way struct {
	Kind     Kind
	Asked    bool // all its aggregates were asked for before, and fit into memory
	Fits     bool // none of its aggregates was found too large for memory
	InMemory bool // there are partials of each aggregate in memory
	Unread   bool // the store failed to list the days
	Parts    []Part
	Room     Room // is read if partials are missing

	Failed answer.Reason // it was tried, and failed for this reason
}

// A Part is what is known of the partials of one table. It counts days, or pieces of days at the ends of a range.
type Part struct {
	Days     int  // with rows
	Stale    int  // whose partials are older than the rows, and older than those when it was last asked for them
	Missing  int  // without partials in memory
	Storable bool // partials like these are stored, and it is known which the store has
	Stored   int  // whose partials the store has
	Loadable int  // of the missing ones, those that the store has
}

// Room says whether memory is left for partials.
type Room struct {
	Fit   bool // for all of an answer
	Renew bool // there is if the partials of the website start again empty
}

// A Choice says what follows from the facts about a way.
type Choice struct {
	Why answer.Reason // why the rows are not merged in this way; empty: they are
	// Counts says that the question counts as a use of the partials, also if they do not give the answer now.
	Counts  bool
	Missing []int // by part, the number of partials that are missing
	Later   bool  // the missing ones are computed in the background
	Renew   bool  // the partials of the website start again empty
}

// A Decision is the source of an answer, and the reason why the one before did not give it.
type Decision struct {
	answer.Origin
	Ways []Choice // of each way of the facts; if the rows are merged, the last one merges them
}

// Decide decides which source answers.
func Decide(f Facts) Decision {
	why := f.Answer.why()
	if why == "" {
		return Decision{Origin: answer.Origin{Source: answer.Remembered}}
	}
	d := Decision{Origin: answer.Origin{Source: answer.Statement, Why: answer.NotMergeable}}
	if f.Off {
		d.Why = answer.Off
	}
	for _, w := range f.Ways {
		c := w.choose()
		d.Ways = append(d.Ways, c)
		switch {
		case c.Why == "":
			d.Origin = answer.Origin{Source: answer.Merged, Why: why}
			return d
		case w.Kind == Own:
			d.Why = c.Why
		}
	}
	return d
}

// choose decides about one way.
func (w *Way) choose() (c Choice) {
	if c.Why = w.Failed; c.Why != "" || w.Kind == Totals {
		return c
	}
	if c.Why = w.unasked(); c.Why != "" {
		return c
	}
	if c.Counts = !w.Unread; w.Unread {
		c.Why = answer.NotStored
		return c
	}
	for _, p := range w.Parts {
		c.Missing = append(c.Missing, p.Missing)
	}
	switch {
	case w.Kind != Waiting && slices.ContainsFunc(w.Parts, Part.manyStale):
		c.Why = answer.DaysChanged
	case slices.ContainsFunc(w.Parts, Part.lacks) && !w.Room.Fit:
		c.Why, c.Renew = answer.NoRoom, w.Room.Renew
	case w.Kind != Waiting && slices.ContainsFunc(w.Parts, Part.slow):
		c.Why, c.Later = answer.NotStored, true
	}
	return c
}

// unasked returns the reason why the partials are not worth their memory, or none if they are: they were asked for
// before, or most of them are there.
func (w *Way) unasked() answer.Reason {
	worth := w.Kind == Waiting || w.Asked || w.Fits && !w.Unread && every(w.Parts, Part.mostlyStored)
	if w.Kind == OnKeys {
		worth = w.InMemory && !w.Unread && every(w.Parts, Part.mostlyInMemory)
	}
	switch {
	case worth:
		return ""
	case w.Fits:
		return answer.FirstAsked
	}
	return answer.TooLarge
}

func every(parts []Part, is func(Part) bool) bool {
	return !slices.ContainsFunc(parts, func(p Part) bool { return !is(p) })
}

// manyStale reports whether a quarter of the days that have rows got new ones since somebody asked about them: a day's
// partials cost at least four times what the statement costs by day, and may be as short-lived as those before.
func (p Part) manyStale() bool { return p.Stale > 0 && 4*p.Stale >= p.Days }

func (p Part) lacks() bool { return p.Missing > 0 }

// slow reports whether it takes longer to compute the missing partials than to run the statement: partials that are not
// stored are missing for a quarter of the days, and a day costs at least four times as much as in the statement.
func (p Part) slow() bool {
	computed := p.Missing - p.Loadable
	return computed > 0 && 4*computed >= p.Days
}

// mostlyStored reports whether the store has the partials of at least half of the days. Then the first answer is
// merged, too.
func (p Part) mostlyStored() bool { return p.Storable && 2*p.Stored >= p.Days }

func (p Part) mostlyInMemory() bool { return 2*p.Missing <= p.Days }
