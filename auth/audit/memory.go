package audit

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Memory is a Log that forgets everything when the process ends: for tests and for
// hosts that look at the last uses only. The zero Memory is ready.
type Memory struct {
	mu      sync.RWMutex
	state   State
	records []Record // as they came
}

var (
	_ Log    = (*Memory)(nil)
	_ Finder = (*Memory)(nil)
)

// State implements [Log].
func (m *Memory) State(ctx context.Context) (State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.clone(), ctx.Err()
}

// change runs do, unless ctx is over.
func (m *Memory) change(ctx context.Context, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return do()
}

// Enrol implements [Log].
func (m *Memory) Enrol(ctx context.Context, r Roster, head Mark) error {
	return m.change(ctx, func() error { return m.state.enrol(r, head) })
}

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, head Mark, records []Record) error {
	return m.change(ctx, func() error {
		i, err := m.state.index(head.Writer)
		if err != nil {
			return err
		}
		records, err := Missing(m.state.Chains[i].Head, records)
		if err != nil {
			return err
		}
		m.records = append(m.records, records...)
		m.state.Chains[i].Head = head
		return nil
	})
}

// Scan implements [Log].
func (m *Memory) Scan(ctx context.Context) iter.Seq2[Record, error] {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := slices.Clone(m.records)
	return func(yield func(Record, error) bool) {
		for _, r := range all {
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Cut implements [Log].
func (m *Memory) Cut(ctx context.Context, cuts []Mark) error {
	return m.change(ctx, func() error {
		m.state.cut(cuts)
		m.records = slices.DeleteFunc(m.records, func(r Record) bool { return covered(r, cuts) })
		return nil
	})
}

// Drop implements [Log].
func (m *Memory) Drop(ctx context.Context, r Roster, heads []Mark) error {
	return m.change(ctx, func() error { return m.state.drop(r, heads) })
}

// Find implements [Finder].
func (m *Memory) Find(ctx context.Context, q Query) (Page, error) {
	if err := q.check(ctx); err != nil {
		return Page{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []Record
	for _, r := range m.records {
		if q.Matches(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, NewestFirst)
	return q.Page(found), nil
}

// covered reports whether one of cuts removes r.
func covered(r Record, cuts []Mark) bool {
	return slices.ContainsFunc(cuts, func(c Mark) bool { return c.Writer == r.Writer && r.Seq <= c.Seq })
}

func (s State) clone() State {
	s.Roster.Writers, s.Chains = slices.Clone(s.Roster.Writers), slices.Clone(s.Chains)
	return s
}

func (s State) index(writer string) (int, error) {
	i, known := slices.BinarySearchFunc(s.Chains, writer, func(c Chain, w string) int { return strings.Compare(c.Head.Writer, w) })
	if !known {
		return i, fmt.Errorf("%w: no chain %s", ErrConflict, writer)
	}
	return i, nil
}

func (s *State) enrol(r Roster, head Mark) error {
	i, err := s.index(head.Writer)
	if err == nil || s.Roster.Generation != r.Generation-1 {
		return fmt.Errorf("%w: roster of generation %d", ErrConflict, s.Roster.Generation)
	}
	s.Roster = r
	s.Roster.Writers = slices.Clone(r.Writers)
	s.Chains = slices.Insert(s.Chains, i, Chain{Head: head})
	return nil
}

// cut never moves a cut back: of two who prune at once the later one may want less.
func (s *State) cut(cuts []Mark) {
	for _, c := range cuts {
		if i, err := s.index(c.Writer); err == nil && c.Seq > s.Chains[i].Cut.Seq {
			s.Chains[i].Cut = c
		}
	}
}

func (s *State) drop(r Roster, heads []Mark) error {
	same := func(h Mark) bool {
		i, err := s.index(h.Writer)
		return err == nil && s.Chains[i].Head == h
	}
	if s.Roster.Generation != r.Generation-1 || slices.ContainsFunc(heads, func(h Mark) bool { return !same(h) }) {
		return fmt.Errorf("%w: roster of generation %d, or another head", ErrConflict, s.Roster.Generation)
	}
	s.Roster = r
	s.Roster.Writers = slices.Clone(r.Writers)
	s.Chains = slices.DeleteFunc(s.Chains, func(c Chain) bool { return slices.Contains(heads, c.Head) })
	return nil
}
