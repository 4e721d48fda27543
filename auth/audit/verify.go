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
	// maxProblems bounds what a report lists.
	maxProblems = 1000
	// looks bounds how often a trail is read again whose chains changed meanwhile: each of several processes that
	// start one after the other may begin one.
	looks = 10
)

// A Report is what [Verify] found.
type Report struct {
	Entries  int64     // that were read
	Chains   []Span    // by writer
	Problems []Problem // the first thousand
	Total    int64     // of problems
}

// A Span is what a trail holds of a chain: entries First to Last, none when Last is less.
type Span struct {
	Writer      string
	First, Last int64
}

// A Problem is one sign of damage.
type Problem struct {
	Writer string // the chain; empty when that is unknown
	Seq    int64  // the entry; 0 when none is meant
	Last   int64  // the last of several entries from Seq on, else Seq
	What   string // for people: "altered", "removed" …
}

// String names the entry and says what is wrong.
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

// Err returns nil when there are no problems; else an error that wraps [ErrTampered] and names the
// first problem and their number.
func (r Report) Err() error {
	if r.Total == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d problems, the first: %s", ErrTampered, r.Total, r.Problems[0])
}

// Verify reads all of a trail and reports what is not as the writers left it: entries that were
// altered, removed, inserted or moved, a cut-off end. A writer may run meanwhile. known are heads that
// [Config.OnHead] got, kept where whoever can change the log cannot reach: only they show a chain that
// was removed together with its head. Leave out chains that [Pruned] lists. The error says that the
// trail could not be read; damage is in the Report.
func Verify(ctx context.Context, trail Trail, pepper auth.Pepper, known ...Checkpoint) (Report, error) {
	v, err := inspect(ctx, trail, pepper, time.Time{}, known)
	if err != nil {
		return Report{}, err
	}
	return v.report, nil
}

// verifier holds a trail against its signatures.
type verifier struct {
	signs  signers
	chains []Chain
	before time.Time // entries from before may be pruned
	known  []Checkpoint
	links  map[string]*links
	report Report
}

// links is how far a chain has been followed.
type links struct {
	Chain
	sign  *signer
	first int64
	seq   int64        // of the newest entry seen
	prev  MAC          // its
	loose bool         // the next one cannot be held against anything
	known []Checkpoint // of this chain
	keep  bool         // an entry was seen that may not be pruned
	point Checkpoint   // the last of those that may be
}

// inspect verifies a trail. What Prune or a new writer did meanwhile looks like damage, so
// then it looks again.
func inspect(ctx context.Context, trail Trail, pepper auth.Pepper, before time.Time, known []Checkpoint) (*verifier, error) {
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

// begin checks the signatures of what is kept beside the records.
func (v *verifier) begin(c Chain) {
	w := c.Head.Writer
	if v.links[w] != nil {
		v.addf(w, 0, 0, "its head stands there twice")
	}
	sign := v.signs.of(func(s *signer) bool { return !c.Unsigned && s.isHead(c.Head) })
	l := &links{Chain: c, sign: sign, prev: sign.first(w)}
	v.links[w] = l
	if !c.Unsigned && !sign.isHead(c.Head) {
		v.addf(w, c.Head.Seq, c.Head.Seq, "the head lacks its signature")
		l.Head.Seq = -1 // says nothing
	}
	switch p := c.PrunePoint; {
	case p == Checkpoint{}:
	case c.Unsigned, p.Writer == w && sign.isPrunePoint(p):
		l.seq, l.prev = p.Seq, p.MAC
	default:
		v.addf(w, p.Seq, p.Seq, "the prune point lacks its signature")
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
		v.addf(r.Writer, r.Seq, r.Seq, "of a chain without a head")
		return
	}
	if r.Seq <= l.seq {
		v.addf(r.Writer, r.Seq, r.Seq, "inserted or out of place")
		return
	}
	if r.Seq > l.seq+1 {
		if !l.loose { // after a prune point that says nothing, nobody knows where the chain begins
			v.addf(r.Writer, l.seq+1, r.Seq-1, "removed")
		}
		l.loose = true
	}
	if l.Unsigned && l.seq == 0 { // of a file: its first entry says under which pepper the chain is
		l.sign = v.signs.of(func(s *signer) bool { return equal(s.entry(r, s.first(r.Writer)), r.MAC) })
		l.prev = l.sign.first(r.Writer)
	}
	told := func(k Checkpoint) bool { return k.Seq == r.Seq && !equal(k.MAC, r.MAC) }
	switch {
	case !l.loose && !equal(l.sign.entry(r, l.prev), r.MAC):
		v.addf(r.Writer, r.Seq, r.Seq, "altered, or the one before was")
	case told(l.Head):
		v.addf(r.Writer, r.Seq, r.Seq, "not the entry that the head names")
	case slices.ContainsFunc(l.known, told):
		v.addf(r.Writer, r.Seq, r.Seq, "not the entry of the known head")
	}
	l.seq, l.prev, l.loose = r.Seq, r.MAC, false
	if l.keep = l.keep || !r.Entry.Time.Before(v.before); !l.keep {
		l.point = Checkpoint{Writer: r.Writer, Seq: r.Seq, MAC: r.MAC}
	}
}

// finish judges the ends of the chains.
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
			v.addf(k.Writer, 0, 0, "a head of entry %d is known, and no such chain", k.Seq)
		case l.seq < k.Seq && l.Head.Seq < k.Seq: // else it was told already
			v.addf(k.Writer, l.seq+1, k.Seq, "removed: a later head is known")
		}
	}
}
