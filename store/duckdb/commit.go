//go:build cgo

package duckdb

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
)

// This file stores groups of writes. All steps run in the writer's goroutine:
//
//  1. Waiting writes, and writes that gather waits for, form a group.
//  2. The engine is opened if it is not open.
//  3. Rows whose event id was received before, earlier or in the same group, are marked as
//     repeats.
//  4. One transaction inserts the numbers of new subjects, the rows, their receipts and the
//     versions of their days. It also notes which rows of imports the repeats sent again.
//  5. COMMIT appends the transaction to the log and returns when it is on disk.
//  6. The Bloom filters and the ledger are updated, so that queries and Version see the commit.
//  7. The callers get the result.
//
// The table lists failures by step, the error that callers get, and the part of the group that is on disk
// afterwards. TestFailures, TestFullDisk and TestKilledWhileWriting test it.
//
//	failure                                 result of callers              on disk
//	2    the file cannot be opened          the cause                      nothing
//	3-5  disk or memory is full             ErrFull, ErrUnavailable        nothing
//	       memory, for less than 3 s        nil                            all
//	3-5  the engine rejects a row           each write is tried alone:     all except
//	                                        its own error, or nil          that write
//	3-5  the engine fails, is reopened
//	       and does not have the commit     as in the two rows above       as there
//	       and has the commit               nil                            all
//	3-5  the engine fails, and cannot be
//	     reopened                           the cause                      all or nothing
//	1-4  the process is killed              none                           nothing
//	5    the process is killed              none                           all or nothing
//	6-7  the process is killed              none                           all
//
// After "all or nothing" the caller tries again. Write then finds the receipts of stored rows. Restore does not
// look up receipts; its caller looks for the rows before it calls again. Therefore a group with an unknown
// result is never tried again in this file.

// groupWeight is the weight that completes a group. One write may be larger. Storing a group of this weight
// takes about 0.1 s, and the writes of other senders wait that long.
const groupWeight = 5_000

// A commit takes about 3 ms of processor time, however small it is. So gather waits a short time for further
// writes that it expects. After a group of few writes it waits longer: then senders that send one write after
// the other need less than a commit each. After a larger group it waits less, because larger groups would save
// less than the wait costs.
const (
	gatherFewTime = 40 * time.Millisecond
	gatherTime    = 5 * time.Millisecond
	fewWrites     = 4
)

// gatherMore is the number of groups after which gather expects one more write than in the group before.
const gatherMore = 64

// gather returns the writes of the next group, or none if no write waits. Callers of the same group usually
// write again at about the same time. So gather waits until there are as many writes as in the group before,
// and sometimes for one more. If they do not arrive, it waits only once. A single caller rarely waits.
func (w *writer) gather() []*write {
	first, ok := w.store.queue.Next()
	if !ok {
		return nil
	}
	group, expected := []*write{first}, w.gathered
	if w.groups++; w.groups%gatherMore == 0 {
		expected++
	}
	timeout := gatherTime
	if expected <= fewWrites {
		timeout = gatherFewTime
	}
	wait := time.NewTimer(timeout)
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
	w.store.queue.Again()
	return group
}

// another returns a waiting write. If expected is true, it waits for one until over fires. It returns nil if
// there is none.
func (w *writer) another(expected bool, over <-chan time.Time) *write {
	for {
		if next, ok := w.store.queue.Next(); ok || !expected {
			return next
		}
		select {
		case <-w.store.queue.Ready:
		case <-over:
			return nil
		}
	}
}

// commit stores a group and sends the result to each of its writes.
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

// Waiting times for memory that queries or a seal use. Each is twice as long as the one before.
const (
	firstWait = 50 * time.Millisecond
	lastWait  = 32 * firstWait
)

// saveWithRetries is like save, but tries again while there is not enough memory.
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

// maybeOfOne reports whether err may be caused by a single write of the group, and nothing was stored.
func (w *writer) maybeOfOne(err error) bool {
	if err == nil || w.engine == nil {
		return false
	}
	return !errors.Is(err, store.ErrFull) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrCorrupt)
}

// save stores a group in one transaction, and marks its repeats.
func (w *writer) save(group []*write) error {
	fresh, err := w.markRepeats(group)
	if err != nil {
		return w.failed(err)
	}
	newcomers, touched := w.survey(fresh)
	again, err := w.sentAgain(group, fresh, newcomers)
	if err != nil {
		return w.failed(err)
	}
	if len(fresh) == 0 {
		if err := w.whileNoneMove(again, func() error { return w.claim(again, newcomers) }); err != nil {
			return w.failed(err)
		}
		return nil
	}
	known := w.store.ledger
	version := known.Latest() + 1
	err = w.whileNoneMove(again, func() error {
		if err := w.addSubjects(newcomers); err != nil {
			return err
		}
		if err := w.addRows(group, newcomers, version); err != nil {
			return err
		}
		if err := w.claim(again, newcomers); err != nil {
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
	known.Publish(version, newcomers, touched)
	return nil
}

// outcome returns the result of a transaction that failed with err. If the engine failed during the commit, the
// transaction may be stored. After the engine was reopened, the version shows whether it is: only this writer
// writes to the file, and the version is part of the transaction.
func (w *writer) outcome(err error, version uint64) error {
	err = w.failed(err)
	if w.engine == nil || w.store.ledger.Latest() < version {
		return err
	}
	return nil
}

// failed reopens the engine after a fatal error, and returns err in the words of package store.
func (w *writer) failed(err error) error {
	if fatal(err) {
		if again := w.reopen(err); again != nil {
			err = errors.Join(err, again)
		}
	}
	return explain(err)
}

// markRepeats marks rows whose id was received before, earlier or in the same group, and returns the others.
// Restored rows are never repeats.
func (w *writer) markRepeats(group []*write) ([]*row, error) {
	firsts := make(map[key]*row)
	var fresh []*row
	var doubtful []key
	var in []int32 // parts that may have them
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

// survey assigns numbers to new subjects, and lists the days of rows.
func (w *writer) survey(rows []*row) (newcomers map[store.Subject]int64, touched []ledger.SubjectDay) {
	newcomers = make(map[store.Subject]int64)
	days := make(map[ledger.SubjectDay]bool)
	next := w.store.ledger.Size() + 1
	for _, r := range rows {
		number := w.number(r.Of(), newcomers)
		if number == ledger.Unknown {
			number = next
			newcomers[r.Of()] = number
			next++
		}
		days[ledger.SubjectDay{Subject: number, Day: r.day}] = true
	}
	return newcomers, slices.Collect(maps.Keys(days))
}

// number returns the number of s, which may be new in this transaction.
func (w *writer) number(s store.Subject, newcomers map[store.Subject]int64) int64 {
	if n, ok := newcomers[s]; ok {
		return n
	}
	return w.store.ledger.Number(s)
}
