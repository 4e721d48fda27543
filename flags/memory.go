package flags

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Memory is a Store in memory, for tests, examples, and hosts that create their flags at start. The zero Memory is
// empty and ready to use.
type Memory struct {
	mu      sync.RWMutex
	sets    map[Client]*Set
	history map[flagOf][]Change // the oldest first
}

var _ Store = (*Memory)(nil)

// flagOf identifies a flag of a client.
type flagOf struct {
	client Client
	id     string
}

// Load implements [Store].
func (m *Memory) Load(ctx context.Context, client Client) (Set, error) {
	if err := ctx.Err(); err != nil {
		return Set{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	set := Set{Client: client}
	if kept, ok := m.sets[client]; ok {
		set.Revision = kept.Revision
		for _, f := range kept.Flags {
			set.Flags = append(set.Flags, f.Clone())
		}
		for _, g := range kept.Groups {
			set.Groups = append(set.Groups, g.Clone())
		}
	}
	return set, nil
}

// Commit implements [Store].
func (m *Memory) Commit(ctx context.Context, c Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.sets[c.Client]
	if kept == nil {
		kept = &Set{Client: c.Client}
	}
	if kept.Revision != c.Base {
		return fmt.Errorf("%w: at revision %d, not %d", ErrConflict, kept.Revision, c.Base)
	}
	if m.sets == nil {
		m.sets, m.history = map[Client]*Set{}, map[flagOf][]Change{}
	}
	m.sets[c.Client] = kept
	kept.apply(c)
	for _, id := range c.DropFlags {
		delete(m.history, flagOf{c.Client, id})
	}
	for _, one := range c.Changes {
		m.remember(one)
	}
	return nil
}

// apply applies c to s.
func (s *Set) apply(c Commit) {
	s.Revision++
	s.Flags = merge(s.Flags, c.Flags, c.DropFlags, func(f Flag) string { return f.ID })
	s.Groups = merge(s.Groups, c.Groups, c.DropGroups, func(g Group) string { return g.ID })
}

// merge returns kept without dropped records, and with copies of changed records. A changed record replaces the one
// with the same id.
func merge[T interface{ Clone() T }](kept, changed []T, dropped []string, id func(T) string) []T {
	gone := map[string]bool{}
	for _, d := range dropped {
		gone[d] = true
	}
	for _, one := range changed {
		gone[id(one)] = true
	}
	kept = slices.DeleteFunc(kept, func(one T) bool { return gone[id(one)] })
	for _, one := range changed {
		kept = append(kept, one.Clone())
	}
	return kept
}

func (m *Memory) remember(c Change) {
	id := flagOf{c.Client, c.Flag}
	list := append(m.history[id], c.clone())
	m.history[id] = list[max(0, len(list)-MaxHistory):]
}

// clone returns a copy that shares no memory with c.
func (c Change) clone() Change {
	if c.Before != nil {
		c.Before = new(c.Before.Clone())
	}
	if c.After != nil {
		c.After = new(c.After.Clone())
	}
	return c
}

// Revisions implements [Store].
func (m *Memory) Revisions(ctx context.Context, clients []Client) (map[Client]int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := map[Client]int64{}
	for _, client := range clients {
		if set, ok := m.sets[client]; ok {
			found[client] = set.Revision
		}
	}
	return found, nil
}

// History implements [Store].
func (m *Memory) History(ctx context.Context, client Client, flag string, before int64, limit int) ([]Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := []Change{}
	for _, c := range slices.Backward(m.history[flagOf{client, flag}]) {
		if c.Revision < before && len(found) < limit {
			found = append(found, c.clone())
		}
	}
	return found, nil
}
