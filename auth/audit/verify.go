package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// cutStep is how many entries of a chain are pruned at once.
	cutStep = 5000
	// looks bounds how often a log is read again that changed meanwhile.
	looks = 3
)

// Verify reads all of log, beside a running writer too, and reports what is not as the
// writers left it: entries that were altered, removed, inserted or moved, a cut-off end,
// a missing chain. known are heads that [Config.OnHead] gave, from a place that who
// changes the log cannot reach; forget those of chains that [Prune] dropped. Its error
// says that the log could not be read; damage is no error.
func Verify(ctx context.Context, log Log, pepper []byte, known ...Mark) (Report, error) {
	v, err := inspect(ctx, log, pepper, time.Time{}, known)
	if err != nil {
		return Report{}, err
	}
	return v.report, nil
}

// verifier holds a log against its seals.
type verifier struct {
	seal   *sealer
	state  State
	before time.Time // entries from before may be cut
	known  []Mark
	links  map[string]*links
	report Report
}

// links is how far a chain has been followed.
type links struct {
	Chain
	first  int64
	seq    int64  // of the newest entry seen
	prev   [2]MAC // that the next one may be bound to: as it was read, and as it should be
	loose  bool   // the next one cannot be held against anything
	keep   bool   // an entry was seen that may not be cut
	cut    Mark   // the last of those that may be
	steps  []Mark // on the way there
	known  []Mark // heads of entries to come
	remain int64  // entries after cut
}

// inspect verifies log. What Prune or a new writer did meanwhile looks like damage, so
// then it looks again.
func inspect(ctx context.Context, log Log, pepper []byte, before time.Time, known []Mark) (*verifier, error) {
	seal, err := newSealer(pepper)
	if err != nil {
		return nil, err
	}
	state, err := log.State(ctx)
	for look := 1; err == nil; look++ {
		v := &verifier{seal: seal, state: state, before: before, known: known, links: map[string]*links{}}
		if err = v.read(ctx, log); err != nil {
			break
		}
		v.finish()
		if v.report.Total == 0 || look == looks {
			return v, nil
		}
		if state, err = log.State(ctx); err == nil && !moved(v.state, state) {
			return v, nil
		}
	}
	if errors.Is(err, ErrTampered) { // what lies beside the records cannot be read at all
		v := &verifier{}
		v.report.add(Problem{What: err.Error()})
		return v, nil
	}
	return nil, fmt.Errorf("audit: reading the log: %w", err)
}

// moved reports whether chains came, went or were cut from one state to the next.
func moved(a, b State) bool {
	return a.Roster.Generation != b.Roster.Generation ||
		!slices.EqualFunc(a.Chains, b.Chains, func(x, y Chain) bool { return x.Head.Writer == y.Head.Writer && x.Cut == y.Cut })
}

func (v *verifier) read(ctx context.Context, log Log) error {
	v.begin()
	for r, err := range log.Scan(ctx) {
		var bad *UnreadableError
		switch {
		case errors.As(err, &bad):
			v.report.add(Problem{What: bad.Where + ": cannot be read: " + bad.Err.Error()})
		case err != nil:
			return err
		default:
			v.report.Entries++
			v.record(&r)
		}
	}
	return nil
}

// begin checks the seals of what is kept beside the records.
func (v *verifier) begin() {
	if err := v.seal.check(v.state); err != nil {
		v.report.add(Problem{What: err.Error()})
	}
	for _, c := range v.state.Chains {
		v.beginChain(c)
	}
	for _, k := range v.known {
		if l := v.links[k.Writer]; l != nil {
			l.known = append(l.known, k)
		}
	}
	for _, l := range v.links {
		slices.SortFunc(l.known, func(a, b Mark) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	for _, w := range v.state.Roster.Writers {
		if v.links[w] == nil {
			v.report.add(Problem{Writer: w, What: "in the roster, but its head is gone"})
		}
	}
}

func (v *verifier) beginChain(c Chain) {
	w := c.Head.Writer
	if v.links[w] != nil {
		v.report.add(Problem{Writer: w, What: "its head stands there twice"})
	}
	l := &links{Chain: c}
	v.links[w] = l
	if !slices.Contains(v.state.Roster.Writers, w) {
		v.report.add(Problem{Writer: w, What: "not in the roster"})
	}
	if !equal(v.seal.head(c.Head).Seal, c.Head.Seal) {
		v.report.add(Problem{Writer: w, Seq: c.Head.Seq, What: "the head lacks its seal"})
		l.Head.Seq = -1 // says nothing
	}
	switch {
	case c.Cut == Mark{}:
		l.prev[0] = v.seal.first(w)
	case c.Cut.Writer == w && equal(v.seal.cut(c.Cut).Seal, c.Cut.Seal):
		l.seq, l.prev[0] = c.Cut.Seq, c.Cut.MAC
	default:
		v.report.add(Problem{Writer: w, Seq: c.Cut.Seq, What: "the cut lacks its seal"})
		l.loose = true
	}
	l.prev[1], l.first, l.cut = l.prev[0], l.seq+1, Mark{Writer: w, Seq: l.seq, MAC: l.prev[0]}
}

func (v *verifier) record(r *Record) {
	l := v.links[r.Writer]
	if l == nil {
		v.report.add(Problem{Writer: r.Writer, Seq: r.Seq, What: "of a chain without a head"})
		return
	}
	if r.Seq <= l.seq {
		v.report.add(Problem{Writer: r.Writer, Seq: r.Seq, What: "inserted or out of place"})
		return
	}
	if r.Seq > l.seq+1 {
		if !l.loose { // after a cut that says nothing, nobody knows where the chain begins
			v.report.add(Problem{Writer: r.Writer, Seq: l.seq + 1, Last: r.Seq - 1, What: "removed"})
		}
		l.loose = true
	}
	computed := r.MAC
	if !l.loose {
		computed = v.seal.entry(r, l.prev[0])
		if !equal(computed, r.MAC) && l.prev[0] != l.prev[1] {
			// The one before was altered: its own MAC, or else.
			computed = v.seal.entry(r, l.prev[1])
		}
	}
	switch {
	case !equal(computed, r.MAC):
		v.report.add(Problem{Writer: r.Writer, Seq: r.Seq, What: "altered"})
	case r.Seq == l.Head.Seq && !equal(r.MAC, l.Head.MAC):
		v.report.add(Problem{Writer: r.Writer, Seq: r.Seq, What: "not the entry that the head names"})
	case l.told(r) != r.MAC:
		v.report.add(Problem{Writer: r.Writer, Seq: r.Seq, What: "not the entry of the known head"})
	}
	l.seq, l.prev, l.loose = r.Seq, [2]MAC{r.MAC, computed}, false
	v.mayCut(l, r)
}

// told returns the MAC that a known head has for r, else r's own.
func (l *links) told(r *Record) MAC {
	for len(l.known) > 0 && l.known[0].Seq < r.Seq {
		l.known = l.known[1:]
	}
	if len(l.known) > 0 && l.known[0].Seq == r.Seq {
		return l.known[0].MAC
	}
	return r.MAC
}

// mayCut notes how far the chain may be cut: up to the first entry that is to stay.
func (v *verifier) mayCut(l *links, r *Record) {
	if l.keep = l.keep || !r.Entry.Time.Before(v.before); l.keep {
		l.remain++
		return
	}
	l.cut = Mark{Writer: r.Writer, Seq: r.Seq, MAC: r.MAC}
	if (l.seq-l.first+1)%cutStep == 0 {
		l.steps = append(l.steps, l.cut)
	}
}

// finish judges the ends of the chains.
func (v *verifier) finish() {
	for _, c := range v.state.Chains {
		w := c.Head.Writer
		l := v.links[w]
		if l.seq < l.Head.Seq {
			v.report.add(Problem{Writer: w, Seq: l.seq + 1, Last: l.Head.Seq, What: "removed: the end is cut off"})
		}
		v.report.Chains = append(v.report.Chains, Span{w, l.first, l.seq})
	}
	for _, k := range v.known {
		l := v.links[k.Writer]
		switch {
		case l == nil:
			v.report.add(Problem{Writer: k.Writer, What: fmt.Sprintf("a head of entry %d is known, and no such chain", k.Seq)})
		case l.seq < k.Seq && l.Head.Seq < k.Seq: // else it was told already
			v.report.add(Problem{Writer: k.Writer, Seq: l.seq + 1, Last: k.Seq, What: "removed: a later head is known"})
		}
	}
}
