package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
)

// CreateWebsite implements [WebsiteManager]. Its error also wraps ErrInvalid if the id is taken, or belonged to a
// website of another owner.
func (m *MemoryDirectory) CreateWebsite(ctx context.Context, w Website) (Website, error) {
	if err := CleanWebsite(&w); err != nil {
		return Website{}, fmt.Errorf("store: website: %w", err)
	}
	if w.ID == "" {
		w.ID = "web_" + strings.ToLower(rand.Text())
	}
	if w.CreatedAt.IsZero() {
		w.CreatedAt = m.now()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Website{}, err
	}
	if _, taken := m.sites[w.ID]; taken || m.gone[w.ID] != "" && m.gone[w.ID] != w.Owner {
		return Website{}, fmt.Errorf("store: website: %w: the id is taken", ErrInvalid)
	}
	if err := m.checkWebsites(&w); err != nil {
		return Website{}, fmt.Errorf("store: website: %w", err)
	}
	if err := m.add(w); err != nil {
		return Website{}, err
	}
	return w, nil
}

// ChangeWebsite implements [WebsiteManager].
func (m *MemoryDirectory) ChangeWebsite(ctx context.Context, id string, amend func(*Website)) (Website, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Website{}, err
	}
	had, ok := m.sites[id]
	if !ok {
		return Website{}, fmt.Errorf("store: website: %w", ErrNotFound)
	}
	w := had
	amend(&w)
	w.ID, w.Owner, w.CreatedAt = had.ID, had.Owner, had.CreatedAt
	if err := CleanWebsite(&w); err != nil {
		return Website{}, fmt.Errorf("store: website: %w", err)
	}
	if w.Size() > had.Size() {
		if err := m.checkWebsites(&w); err != nil {
			return Website{}, fmt.Errorf("store: website: %w", err)
		}
	}
	m.sites[id] = w
	return w, nil
}

// checkWebsites returns a [BoundError] if the owner of w, which is new or changed, cannot have it.
func (m *MemoryDirectory) checkWebsites(w *Website) error {
	number, removed, size := int64(1), int64(0), w.Size()
	for id, one := range m.sites {
		if one.Owner == w.Owner && id != w.ID {
			number, size = number+1, size+one.Size()
		}
	}
	for _, owner := range m.gone {
		if owner == w.Owner {
			removed++
		}
	}
	return CheckWebsites(number, removed, size)
}

// RemoveWebsite implements [WebsiteManager]. It also removes the website's definitions.
func (m *MemoryDirectory) RemoveWebsite(ctx context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	w, ok := m.sites[id]
	if !ok {
		return fmt.Errorf("store: website: %w", ErrNotFound)
	}
	delete(m.sites, id)
	delete(m.owners, Subject{Kind: KindWebsite, ID: id})
	delete(m.saved, id)
	if m.gone == nil {
		m.gone = map[string]string{}
	}
	m.gone[id] = w.Owner
	return nil
}
