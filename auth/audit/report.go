package audit

import "fmt"

// maxProblems bounds what a report lists.
const maxProblems = 1000

// A Report is what [Verify] found.
type Report struct {
	Entries  int64     // that were read
	Chains   []Span    // by writer
	Problems []Problem // the first thousand
	Total    int64     // of problems
}

// A Span is what a log holds of a chain: entries First to Last, none when Last is less.
type Span struct {
	Writer      string
	First, Last int64
}

// A Problem is one sign of damage.
type Problem struct {
	Writer string // the chain; empty when that is unknown or all are meant
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

// Err returns nil when there are no problems; else an error that wraps [ErrTampered] and
// tells the first and how many there are.
func (r Report) Err() error {
	if r.Total == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d problems, the first: %s", ErrTampered, r.Total, r.Problems[0])
}

func (r *Report) add(p Problem) {
	p.Last = max(p.Last, p.Seq)
	r.Total++
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
}
