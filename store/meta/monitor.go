package meta

import (
	"context"
	"database/sql"
	"time"
)

// A Monitor is an uptime monitor: a subject of kind schedule.
type Monitor struct {
	ID        string
	Owner     string
	Name      string
	URL       string // what is checked
	WebsiteID string // of the same owner; empty means none
	CreatedAt time.Time
}

var monitorColumns = []string{"id", "owner", "name", "url", "website_id", "created_at"}

// CreateMonitor keeps m and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, and an empty name is the address. Its error wraps store.ErrInvalid
// for a monitor without owner or with an address that is none, store.ErrNotFound when
// the owner has no such website or is not known ([ErrNoOwner]), and [ErrExists] for a
// known id.
func (s *Store) CreateMonitor(ctx context.Context, m Monitor) (Monitor, error) {
	var faults faults
	m.ID = faults.id("mon", m.ID)
	m.Owner = faults.required("owner", m.Owner)
	m.URL = faults.address("url", m.URL)
	m.Name = faults.label("name", m.Name)
	faults.text("website", m.WebsiteID)
	if m.Name == "" {
		m.Name = m.URL
	}
	m.CreatedAt = s.created(m.CreatedAt)
	if err := faults.err("monitor"); err != nil {
		return Monitor{}, err
	}
	err := s.insert(ctx, "create monitor", m.Owner, s.sql.Insert("monitors").Columns(monitorColumns...).
		Values(m.ID, m.Owner, m.Name, m.URL, optional(m.WebsiteID), m.CreatedAt.UnixMilli()))
	if err != nil {
		return Monitor{}, err
	}
	return m, nil
}

// Monitors lists the monitors of owner by creation, then id.
func (s *Store) Monitors(ctx context.Context, owner string) ([]Monitor, error) {
	return collect(ctx, s, "list monitors", s.of(owner, "monitors", monitorColumns), scanMonitor)
}

func scanMonitor(row scanner) (m Monitor, err error) {
	var created int64
	var website sql.NullString
	err = row.Scan(&m.ID, &m.Owner, &m.Name, &m.URL, &website, &created)
	m.WebsiteID, m.CreatedAt = website.String, instant(created)
	return m, err
}
