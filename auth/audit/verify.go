package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// maxProblems is the maximum number of problems in a report.
	maxProblems = 1000
	// looks is the maximum number of reads of a trail whose chains change during verification. Each of several
	// processes that start one after the other may add a chain.
	looks = 10
)

// A Report is the result of [Verify].
type Report struct {
	Entries  int64     // entries that were read
	Chains   []Span    // by writer
	Problems []Problem // the first 1000
	Total    int64     // number of problems
}

// A Span is the range of entries of a chain in a trail: First to Last. It is empty if Last < First.
type Span struct {
	Writer      string
	First, Last int64
}

// A Problem is one sign of damage.
type Problem struct {
	Writer string // the chain; empty if unknown
	Seq    int64  // the entry; 0 if the problem is not about an entry
	Last   int64  // the last affected entry; equals Seq for a single one
	What   string // a description for people: "altered", "removed" …
}

// String returns the entry and the problem as text.
func (p Problem) String() string {
	switch {
	case p.Writer == "":
		return p.What
	case p.Seq == 0:
		return fmt.Sprintf("chain %s: %s", p.Writer, p.What)
	case p.Last > p.Seq:
		return fmt.Sprintf("chain %s, entries %d to %d: %s", p.Writer, p.Seq, p.Last, p.What)
	}
	return fmt.Sprintf("chain %s, entry %d: %s", p.Writer, p.Seq, p.What)
}

// Err returns nil without problems. Otherwise its error wraps [ErrTampered], and contains the first
// problem and the number of problems.
func (r Report) Err() error {
	if r.Total == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d problems, the first: %s", ErrTampered, r.Total, r.Problems[0])
}

// Verify reads a whole trail and reports differences from the written entries: altered, removed, inserted
// and moved entries, and a cut-off end. Writers may run at the same time. known are heads from
// [Options.OnHead] that were stored where users with write access to the log cannot change them. Only with them can
// Verify detect the removal of a whole chain. Leave out chains that [Pruned] lists. Damage is in the Report; the
// error says that the trail could not be read.
func Verify(ctx context.Context, trail Trail, pepper auth.Pepper, known ...Checkpoint) (Report, error) {
	v, err := inspect(ctx, trail, pepper, time.Time{}, known)
	if err != nil {
		return Report{}, err
	}
	return v.report, nil
}

// verifier compares a trail with its signatures.
type verifier struct {
	signs  signers
	chains []Chain
	before time.Time // older entries may be pruned
	known  []Checkpoint
	links  map[string]*links
	report Report
}

// links is the state of a chain during verification.
type links struct {
	Chain
	sign  *signer
	first int64
	seq   int64        // number of the last verified entry
	prev  MAC          // MAC of that entry
	loose bool         // the MAC before the next entry is unknown, so that entry cannot be checked
	known []Checkpoint // known heads of this chain
	keep  bool         // an entry was found that must not be pruned
	point Checkpoint   // the last entry that may be pruned
}

// inspect verifies a trail. A concurrent Prune or new writer looks like damage. So if the chains changed
// during verification, inspect starts again.
func inspect(ctx context.Context, trail Trail, pepper auth.Pepper, before time.Time, known []Checkpoint) (*verifier,
	error) {
	signs, err := newSigners(pepper)
	if err != nil {
		return nil, err
	}
	chains, err := trail.Chains(ctx)
	for look := 1; err == nil; look++ {
		v := &verifier{signs: signs, chains: chains, before: before, known: known, links: map[string]*links{}}
		if err = v.read(ctx, trail); err != nil {
			break
		}
		v.finish()
		if v.report.Total == 0 || look == looks {
			return v, nil
		}
		same := func(x, y Chain) bool { return x.Head.Writer == y.Head.Writer && x.PrunePoint == y.PrunePoint }
		if chains, err = trail.Chains(ctx); err == nil && slices.EqualFunc(v.chains, chains, same) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("audit: reading the log: %w", err)
}

func (v *verifier) addf(writer string, seq, last int64, format string, args ...any) {
	v.report.Total++
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, Problem{writer, seq, last, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) read(ctx context.Context, trail Trail) error {
	for _, c := range v.chains {
		v.begin(c)
	}
	for r, err := range trail.Scan(ctx) {
		var bad *UnreadableError
		switch {
		case errors.As(err, &bad):
			v.addf("", 0, 0, "%s: cannot be read: %v", bad.Where, bad.Err)
		case err != nil:
			return err
		default:
			v.report.Entries++
			v.record(&r)
		}
	}
	return nil
}

// begin checks the signatures of a chain's head and prune point.
func (v *verifier) begin(c Chain) {
	w := c.Head.Writer
	if v.links[w] != nil {
		v.addf(w, 0, 0, "the trail has two heads of this chain")
	}
	sign := v.signs.of(func(s *signer) bool { return s.isHead(c.Head) })
	l := &links{Chain: c, sign: sign, prev: sign.first(w)}
	v.links[w] = l
	if !sign.isHead(c.Head) {
		v.addf(w, c.Head.Seq, c.Head.Seq, "the head is not signed")
		l.Head.Seq = -1 // an unsigned head proves nothing
	}
	switch p := c.PrunePoint; {
	case p == Checkpoint{}:
	case p.Writer == w && sign.isPrunePoint(p):
		l.seq, l.prev = p.Seq, p.MAC
	default:
		v.addf(w, p.Seq, p.Seq, "the prune point is not signed")
		l.loose = true
	}
	l.first, l.point = l.seq+1, Checkpoint{Writer: w, Seq: l.seq, MAC: l.prev}
	for _, k := range v.known {
		if k.Writer == w {
			l.known = append(l.known, k)
		}
	}
}

func (v *verifier) record(r *Record) {
	l := v.links[r.Writer]
	if l == nil {
		v.addf(r.Writer, r.Seq, r.Seq, "belongs to a chain without a head")
		return
	}
	if r.Seq <= l.seq {
		v.addf(r.Writer, r.Seq, r.Seq, "inserted or out of place")
		return
	}
	if r.Seq > l.seq+1 {
		if !l.loose { // the start of a chain with an unsigned prune point is unknown
			v.addf(r.Writer, l.seq+1, r.Seq-1, "removed")
		}
		l.loose = true
	}
	differs := func(k Checkpoint) bool { return k.Seq == r.Seq && !equal(k.MAC, r.MAC) }
	switch {
	case !l.loose && !equal(l.sign.entry(r, l.prev), r.MAC):
		v.addf(r.Writer, r.Seq, r.Seq, "this entry or the one before it was altered")
	case differs(l.Head):
		v.addf(r.Writer, r.Seq, r.Seq, "differs from the entry in the head")
	case slices.ContainsFunc(l.known, differs):
		v.addf(r.Writer, r.Seq, r.Seq, "differs from the entry in the known head")
	}
	l.seq, l.prev, l.loose = r.Seq, r.MAC, false
	if l.keep = l.keep || !r.Entry.Time.Before(v.before); !l.keep {
		l.point = Checkpoint{Writer: r.Writer, Seq: r.Seq, MAC: r.MAC}
	}
}

// finish checks the ends of the chains.
func (v *verifier) finish() {
	for _, c := range v.chains {
		w := c.Head.Writer
		l := v.links[w]
		if l.seq < l.Head.Seq {
			v.addf(w, l.seq+1, l.Head.Seq, "removed: the end is cut off")
		}
		v.report.Chains = append(v.report.Chains, Span{w, l.first, l.seq})
	}
	for _, k := range v.known {
		l := v.links[k.Writer]
		switch {
		case l == nil:
			v.addf(k.Writer, 0, 0, "the chain is missing, but a head of its entry %d is known", k.Seq)
		case l.seq < k.Seq && l.Head.Seq < k.Seq: // otherwise already reported
			v.addf(k.Writer, l.seq+1, k.Seq, "removed: a later head is known")
		}
	}
}
