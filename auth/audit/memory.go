package audit

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Memory is a Log in memory, for tests and for hosts that need only recent entries. The zero Memory is ready
// to use.
type Memory struct {
	mu      sync.RWMutex
	chains  []Chain  // by writer
	records []Record // in the order of Append
}

var (
	_ Log    = (*Memory)(nil)
	_ Pruner = (*Memory)(nil)
	_ Finder = (*Memory)(nil)
)

// Chains implements [Trail].
func (m *Memory) Chains(ctx context.Context) ([]Chain, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.chains), ctx.Err()
}

// find returns the index of a chain, and whether the chain exists.
func (m *Memory) find(writer string) (int, bool) {
	return slices.BinarySearchFunc(m.chains, writer,
		func(c Chain, w string) int { return strings.Compare(c.Head.Writer, w) })
}

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, head Checkpoint, records []Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	var before Checkpoint
	i, known := m.find(head.Writer)
	if known {
		before = m.chains[i].Head
	}
	records, err := Missing(before, records)
	if err != nil || len(records) == 0 {
		return err
	}
	if !known {
		m.chains = slices.Insert(m.chains, i, Chain{})
	}
	m.chains[i].Head = head
	m.records = append(m.records, records...)
	return nil
}

// Scan implements [Trail].
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

// Prune implements [Pruner].
func (m *Memory) Prune(ctx context.Context, points []Checkpoint) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, p := range points {
		i, known := m.find(p.Writer)
		switch {
		case !known:
			continue
		case m.chains[i].Head.Seq == p.Seq:
			m.chains = slices.Delete(m.chains, i, i+1)
		case m.chains[i].PrunePoint.Seq < p.Seq: // of two concurrent calls the later one may prune less
			m.chains[i].PrunePoint = p
		}
		m.records = slices.DeleteFunc(m.records, func(r Record) bool { return r.Writer == p.Writer && r.Seq <= p.Seq })
	}
	return nil
}

// Find implements [Finder].
func (m *Memory) Find(ctx context.Context, q Query) (Page, error) {
	if _, err := q.Size(); err != nil {
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
	return q.Page(found), ctx.Err()
}
