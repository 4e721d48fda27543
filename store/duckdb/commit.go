//go:build cgo

package duckdb

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A commit, step by step, all in the writer's goroutine:
//
//  1. The writes that wait by now and those that gather waits for are a group.
//  2. The engine is opened if it is not open.
//  3. Rows whose event id came before, in the group or earlier, are marked as repeats.
//  4. One transaction takes the numbers of new subjects, the rows, their receipts and the
//     versions of their days.
//  5. COMMIT appends it to the log, and returns when it is on disk.
//  6. Bloom filters and catalog learn of it, so that queries and Version see it.
//  7. The callers hear.
//
// What fails, what the callers hear, and what of the group is on disk (TestFailures and
// TestFullDisk show it, the kill of the process TestNothingAnsweredIsLostWhenTheProcessIsKilled):
//
//	what fails                              the callers hear               on disk
//	2    the file cannot be opened          why it cannot                  nothing
//	3-5  disk or memory do not suffice      ErrFull, ErrUnavailable        nothing
//	       memory, for less than 3 s        nil                            all
//	3-5  the engine refuses a row           each write is tried alone:     all but
//	                                        its own error, or nil          that write
//	3-5  the engine fails, is opened again
//	       and does not have the commit     as with the two above          as there
//	       and has the commit               nil                            all
//	3-5  the engine fails, and cannot be
//	     opened again                       why it cannot                  all or nothing
//	1-4  the process is killed              nothing                        nothing
//	5    the process is killed              nothing                        all or nothing
//	6-7  the process is killed              nothing                        all
//
// Where it says all or nothing the caller calls again. Write finds the receipts of what is
// there. Restore stores without a look at receipts, and its caller looks for the rows first;
// so a group whose outcome is not known is never tried again here.

// groupWeight ends the gathering of a group; one write may be larger. A group of that weight takes about 0.1 s, for
// which the writes of other senders wait.
const groupWeight = 5_000

// A commit takes some 3 ms of a processor whatever is in it. Two times bound the wait for writes that can be
// expected: the first where a group was of a few writes, so that those who send one after the other cost
// less than a commit each, and the second where larger groups would save less than the wait costs.
const (
	gatherFewTime = 40 * time.Millisecond
	gatherTime    = 5 * time.Millisecond
	fewWrites     = 4
)

// gatherMore is after how many groups one waits for more than the group before had.
const gatherMore = 64

// gather returns the writes of the next group; none when no write waits. Callers who were answered together come back
// one after the other, so it waits for as many writes as the group before had, and now and then for one
// more. Where they stay away it waits once, and a caller who is alone seldom waits.
func (w *writer) gather() []*write {
	first := w.store.queue.next()
	if first == nil {
		return nil
	}
	group, expected := []*write{first}, w.gathered
	if w.groups++; w.groups%gatherMore == 0 {
		expected++
	}
	patience := gatherTime
	if expected <= fewWrites {
		patience = gatherFewTime
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	for weight := first.weight(); weight < groupWeight; {
		next := w.another(len(group) < expected, wait.C)
		if next == nil {
			break
		}
		group = append(group, next)
		weight += next.weight()
	}
	w.gathered = len(group)
	w.store.queue.again()
	return group
}

// another returns a write that waits or, if one is expected, comes before the time is over.
func (w *writer) another(expected bool, over <-chan time.Time) *write {
	for {
		if next := w.store.queue.next(); next != nil || !expected {
			return next
		}
		select {
		case <-w.store.queue.ready:
		case <-over:
			return nil
		}
	}
}

// commit stores a group and tells each of its writes.
func (w *writer) commit(group []*write) {
	err := w.ready()
	if err == nil {
		err = w.saveWithRetries(group)
	}
	if len(group) > 1 && w.maybeOfOne(err) {
		for _, one := range group {
			w.commit([]*write{one})
		}
		return
	}
	for _, one := range group {
		one.done <- err
	}
}

// The waits for memory that queries or a seal have taken are twice as long each time.
const (
	firstWait = 50 * time.Millisecond
	lastWait  = 32 * firstWait
)

// saveWithRetries is save, again where there was no memory for it.
func (w *writer) saveWithRetries(group []*write) error {
	err := w.save(group)
	for wait := firstWait; noMemory(err) && wait <= lastWait; wait *= 2 {
		over := time.NewTimer(wait)
		select {
		case <-over.C:
		case <-w.store.closing:
			over.Stop()
			return err
		}
		err = w.save(group)
	}
	return err
}

// maybeOfOne reports whether err may be about one write of a group, none of which is stored.
func (w *writer) maybeOfOne(err error) bool {
	if err == nil || w.engine == nil {
		return false
	}
	return !errors.Is(err, store.ErrFull) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrCorrupt)
}

// save stores a group in one transaction. It marks the rows that are repeats.
func (w *writer) save(group []*write) error {
	fresh, err := w.markRepeats(group)
	if err != nil {
		return w.failed(err)
	}
	if len(fresh) == 0 {
		return nil
	}
	cat := &w.store.catalog
	version := cat.latest() + 1
	newcomers, touched := w.survey(fresh)
	err = transact(w.engine, func() error {
		if err := w.addSubjects(newcomers); err != nil {
			return err
		}
		if err := w.addRows(group, newcomers, version); err != nil {
			return err
		}
		if err := w.addReceipts(fresh, newcomers); err != nil {
			return err
		}
		return w.addVersions(version, touched)
	})
	if err != nil {
		return w.outcome(err, version)
	}
	w.parts.add(fresh)
	w.versionRows += int64(len(touched))
	cat.publish(version, newcomers, touched)
	return nil
}

// outcome is what became of a transaction that failed with err. One that broke the engine is
// stored all the same if its version is in the file once that is open again: nobody else
// writes there, and both are one transaction.
func (w *writer) outcome(err error, version uint64) error {
	err = w.failed(err)
	if w.engine == nil || w.store.catalog.latest() < version {
		return err
	}
	return nil
}

// failed opens the engine again after a fatal error, and explains err.
func (w *writer) failed(err error) error {
	if fatal(err) {
		if again := w.reopen(err); again != nil {
			err = errors.Join(err, again)
		}
	}
	return explain(err)
}

// markRepeats marks the rows whose id was received before, in the group or earlier, and
// returns the others. Rows that are restored are no repeats.
func (w *writer) markRepeats(group []*write) ([]*row, error) {
	firsts := make(map[key]*row)
	var fresh []*row
	var doubtful []key
	var in []int32 // parts
	for _, one := range group {
		for i := range one.rows {
			r := &one.rows[i]
			_, again := firsts[r.key]
			r.repeated = again && !one.restored
			if !r.repeated {
				fresh = append(fresh, r)
			}
			if again {
				continue
			}
			firsts[r.key] = r
			if one.restored {
				continue
			}
			if more := w.parts.maybe(in, r.key); len(more) > len(in) {
				in, doubtful = more, append(doubtful, r.key)
			}
		}
	}
	if len(doubtful) == 0 {
		return fresh, nil
	}
	slices.Sort(in)
	known, err := lookUp(w.engine, slices.Compact(in), doubtful)
	if err != nil {
		return nil, err
	}
	for _, k := range doubtful {
		firsts[k].repeated = known[k]
	}
	return slices.DeleteFunc(fresh, func(r *row) bool { return r.repeated }), nil
}

// survey numbers the subjects that have no number yet, and lists the days that rows touch.
func (w *writer) survey(rows []*row) (newcomers map[store.Subject]int32, touched []subjectDay) {
	newcomers = make(map[store.Subject]int32)
	days := make(map[subjectDay]bool)
	next := w.store.catalog.size() + 1
	for _, r := range rows {
		number := w.number(r.subject, newcomers)
		if number == unknownSubject {
			number = next
			newcomers[r.subject] = number
			next++
		}
		days[subjectDay{number, r.day}] = true
	}
	return newcomers, slices.Collect(maps.Keys(days))
}

// number is the number of s, which may be new in this transaction.
func (w *writer) number(s store.Subject, newcomers map[store.Subject]int32) int32 {
	if n, ok := newcomers[s]; ok {
		return n
	}
	return w.store.catalog.number(s)
}
