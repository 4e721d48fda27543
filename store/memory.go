package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/listing"
)

// MemoryDirectory is a Directory, a WebsiteManager and a DefinitionStore, in memory, for tests, examples, and hosts
// that know their websites at start. Its zero value is empty and ready. It is safe for concurrent use.
type MemoryDirectory struct {
	Now func() time.Time // the clock of definitions and new websites; nil means time.Now

	mu     sync.RWMutex
	sites  map[string]Website
	owners map[Subject]string // of all subjects, including websites
	saved  map[string][]Definition
	gone   map[string]string // the owners of removed websites
}

var (
	_ Directory       = (*MemoryDirectory)(nil)
	_ WebsiteManager  = (*MemoryDirectory)(nil)
	_ DefinitionStore = (*MemoryDirectory)(nil)
)

// AddWebsite adds w without changes, or replaces the website with the same id. The error wraps ErrInvalid if w
// has no owner, or its id has an [IDFault].
func (m *MemoryDirectory) AddWebsite(w Website) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add(w)
}

func (m *MemoryDirectory) add(w Website) error {
	if err := m.own(Subject{Kind: KindWebsite, ID: w.ID}, w.Owner); err != nil {
		return err
	}
	if m.sites == nil {
		m.sites = map[string]Website{}
	}
	m.sites[w.ID] = w
	return nil
}

// AddSubject adds a link or monitor of owner. The error wraps ErrInvalid if owner is empty, the id of s has an
// [IDFault], or s is of another kind.
func (m *MemoryDirectory) AddSubject(s Subject, owner string) error {
	if s.Kind != KindLink && s.Kind != KindSchedule {
		return fmt.Errorf("store: %w: %q is neither a link nor a monitor", ErrInvalid, s.Kind)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.own(s, owner)
}

func (m *MemoryDirectory) own(s Subject, owner string) error {
	if s.ID == "" || owner == "" {
		return fmt.Errorf("store: %w: a %s needs an id and an owner, not %q and %q", ErrInvalid, s.Kind, s.ID, owner)
	}
	if fault := IDFault(s.ID); fault != "" {
		return fmt.Errorf("store: %w: the id of a %s %s", ErrInvalid, s.Kind, fault)
	}
	if m.owners == nil {
		m.owners = map[Subject]string{}
	}
	m.owners[s] = owner
	return nil
}

// Websites implements [Directory].
func (m *MemoryDirectory) Websites(ctx context.Context, owner string) ([]Website, error) {
	return m.WebsitePage(ctx, owner, Page{})
}

// WebsitePage implements [WebsiteManager].
func (m *MemoryDirectory) WebsitePage(ctx context.Context, owner string, page Page) ([]Website, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := []Website{}
	for _, w := range m.sites {
		if w.Owner == owner {
			found = append(found, w)
		}
	}
	return listing.Of(found, page, Website.Position), nil
}

// Website implements [Directory].
func (m *MemoryDirectory) Website(ctx context.Context, id string) (Website, error) {
	if err := ctx.Err(); err != nil {
		return Website{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	w, ok := m.sites[id]
	if !ok {
		return Website{}, fmt.Errorf("store: website: %w", ErrNotFound)
	}
	return w, nil
}

// Owner implements [Directory].
func (m *MemoryDirectory) Owner(ctx context.Context, s Subject) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	owner, ok := m.owners[s]
	if !ok {
		return "", fmt.Errorf("store: owner: %w", ErrNotFound)
	}
	return owner, nil
}

// Definitions implements [DefinitionStore].
func (m *MemoryDirectory) Definitions(ctx context.Context, website string) ([]Definition, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := slices.Clone(m.saved[website])
	slices.SortFunc(all, CompareDefinitions)
	return all, ctx.Err()
}

// PutDefinition implements [DefinitionStore].
func (m *MemoryDirectory) PutDefinition(ctx context.Context, website string, d Definition) (Definition, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.saved[website]
	switch _, known := m.sites[website]; {
	case ctx.Err() != nil:
		return Definition{}, ctx.Err()
	case !known:
		return Definition{}, ErrNotFound
	}
	now := m.now()
	d.Created, d.Updated = now, now
	before := int64(-1)
	if at := slices.IndexFunc(all, d.replaces); at >= 0 {
		d.Created, before = all[at].Created, all[at].Size()
		all = slices.Delete(slices.Clone(all), at, at+1)
	}
	if err := CheckDefinitions(all, d); err != nil {
		return Definition{}, err
	}
	if d.Size() > before {
		if err := m.checkOwnerDefinitions(website, all, d); err != nil {
			return Definition{}, err
		}
	}
	if m.saved == nil {
		m.saved = map[string][]Definition{}
	}
	m.saved[website] = append(slices.Clip(all), d)
	return d, nil
}

// checkOwnerDefinitions is [CheckOwnerDefinitions] for a website, which has others beside d.
func (m *MemoryDirectory) checkOwnerDefinitions(website string, others []Definition, d Definition) error {
	number, size, owner := int64(0), int64(0), m.sites[website].Owner
	for id, all := range m.saved {
		if id == website {
			all = others
		}
		if m.sites[id].Owner != owner {
			continue
		}
		for _, one := range all {
			number, size = number+1, size+one.Size()
		}
	}
	return CheckOwnerDefinitions(number, size, d)
}

// now returns the time in whole milliseconds.
func (m *MemoryDirectory) now() time.Time {
	clock := m.Now
	if clock == nil {
		clock = time.Now
	}
	return time.UnixMilli(clock().UnixMilli()).UTC()
}

// RemoveDefinition implements [DefinitionStore].
func (m *MemoryDirectory) RemoveDefinition(ctx context.Context, website string, kind DefinitionKind,
	name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.saved[website], Definition{Kind: kind, Name: name}.replaces)
	if at < 0 {
		return ErrNotFound
	}
	m.saved[website] = slices.Delete(slices.Clone(m.saved[website]), at, at+1)
	return ctx.Err()
}

// replaces reports whether d and o have the same kind and name.
func (d Definition) replaces(o Definition) bool { return d.Kind == o.Kind && d.Name == o.Name }
