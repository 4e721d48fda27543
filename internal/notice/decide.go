package notice

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A Verdict says whether what a notice is about holds.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // there is no number, or too few to compare with; nothing changes
	Rests
	Holds
)

// A State has the facts about a notice for one website, monitor or flag, from one evaluation to the next.
type State struct {
	On     bool      `json:"on,omitempty"`    // the beginning was told, and the end not yet
	Began  time.Time `json:"began,omitzero"`  // when On became true
	Told   time.Time `json:"told,omitzero"`   // when a beginning was told last
	Period string    `json:"period,omitzero"` // the last period that was evaluated, unless every minute
	Rule   string    `json:"rule,omitempty"`  // of the definition: see RuleOf
}

// A Change is the outcome of an evaluation.
type Change int

// The changes.
const (
	None Change = iota
	Begins
	Ends
)

// RuleOf returns a short text that differs for different bodies of definitions. The state of another rule is forgotten.
func RuleOf(d *store.Definition) string {
	sum := sha256.Sum256(d.Body)
	return hex.EncodeToString(sum[:8])
}

// Step returns the state after a verdict, and what it tells: each change of the state once. A beginning that follows
// another one within quiet waits until quiet is over, and is forgotten if it ends before that.
func (s State) Step(v Verdict, now time.Time, quiet time.Duration) (State, Change) {
	switch {
	case v == Holds && !s.On && (s.Told.IsZero() || !now.Before(s.Told.Add(quiet))):
		s.On, s.Began, s.Told = true, now, now
		return s, Begins
	case v == Rests && s.On:
		s.On = false
		return s, Ends
	}
	return s, None
}

// A Reading has the numbers that a notice about a number is decided from. A nil number is unknown.
type Reading struct {
	Value    *float64
	Previous *float64  // of [Notice.Changes]: of the same weekdays before
	Usual    []float64 // of [Notice.Unusual]: of the same hours, see [Known]
	Counts   bool      // the number counts something, so it is never below 0
}

// Judge decides whether n, a notice about a number, holds.
func (n *Notice) Judge(r Reading) Verdict {
	switch {
	case r.Value == nil || math.IsNaN(*r.Value):
		return Unknown
	case n.Above != nil:
		return holds(*r.Value > *n.Above)
	case n.Below != nil:
		return holds(*r.Value < *n.Below)
	case n.Changes != nil:
		change, ok := ChangeOf(*r.Value, r.Previous)
		if !ok {
			return Unknown
		}
		return holds(math.Abs(change) > *n.Changes)
	case n.Unusual:
		usual, ok := UsualOf(r.Usual, r.Counts)
		if !ok {
			return Unknown
		}
		return holds(*r.Value < usual.Low || *r.Value > usual.High)
	}
	return Unknown
}

func holds(is bool) Verdict {
	if is {
		return Holds
	}
	return Rests
}

// ChangeOf returns by how many percent value differs from previous, unless that is unknown or 0.
func ChangeOf(value float64, previous *float64) (percent float64, ok bool) {
	if previous == nil || *previous == 0 || math.IsNaN(*previous) {
		return 0, false
	}
	return (value - *previous) / math.Abs(*previous) * 100, true
}
