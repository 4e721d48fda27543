package auth

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/listing"
)

// Memory is a KeyStore and a KeyManager in memory, for tests, examples, and hosts that create their keys at start. It
// is safe for concurrent use.
type Memory struct {
	cfg    MemoryConfig
	notify Invalidator // nil means no Invalidator

	mu    sync.RWMutex
	keys  map[string]*record // by id
	index map[Digest]string  // id by digest, including the digests of old secrets
}

// MemoryConfig configures [NewMemory].
type MemoryConfig struct {
	Pepper Pepper // required
	Issuer Issuer // optional
}

// NewMemory returns a Memory without keys. It fails if the pepper is missing.
func NewMemory(cfg MemoryConfig) (*Memory, error) {
	if err := cfg.Pepper.check(); err != nil {
		return nil, err
	}
	return &Memory{cfg: cfg, keys: map[string]*record{}, index: map[Digest]string{}}, nil
}

type record struct {
	key     Key
	digests Digests
}

// CreateKey stores k with a new secret. It returns the stored key (see [Issuer.Issue]) and the secret,
// which no other call returns. Its error wraps [ErrBadKey], [ErrExists] if the id is taken, or [ErrBound].
func (m *Memory) CreateKey(_ context.Context, k Key) (Key, Secret, error) {
	k, s, err := m.cfg.Issuer.Issue(k)
	if err != nil {
		return Key{}, Secret{}, err
	}
	if err := m.add(k, s.Digest(m.cfg.Pepper)); err != nil {
		return Key{}, Secret{}, err
	}
	m.changed(k.ID)
	return k, s, nil
}

func (m *Memory) add(k Key, d Digest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.keys[k.ID]; taken {
		return fmt.Errorf("%w: %s", ErrExists, k.ID)
	}
	if k.NeedsRoom(nil, m.cfg.Issuer.now()) {
		if err := m.checkRoom(&k); err != nil {
			return err
		}
	}
	m.keys[k.ID], m.index[d] = &record{key: k.Clone(), digests: Digests{Current: d}}, k.ID
	m.dropEnded(k.Owner)
	return nil
}

// checkRoom returns a [BoundError] if the owner of k, which is new or changed, cannot have it.
func (m *Memory) checkRoom(k *Key) error {
	now := m.cfg.Issuer.now()
	number, size := int64(1), k.Size()
	for id, r := range m.keys {
		if _, ended := r.key.Ended(now); r.key.Owner == k.Owner && id != k.ID && !ended {
			number, size = number+1, size+r.key.Size()
		}
	}
	return CheckRoom(number, size)
}

// dropEnded removes keys that ended first until owner has at most [MaxEndedKeys] of them.
func (m *Memory) dropEnded(owner string) {
	type end struct {
		id string
		at time.Time
	}
	var ends []end
	for id, r := range m.keys {
		if at, ended := r.key.Ended(m.cfg.Issuer.now()); ended && r.key.Owner == owner {
			ends = append(ends, end{id, at})
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.id, a.id)) })
	for _, one := range ends[min(len(ends), MaxEndedKeys):] {
		for _, d := range append(m.keys[one.id].digests.Old, m.keys[one.id].digests.Current) {
			delete(m.index, d)
		}
		delete(m.keys, one.id)
	}
}

// Notify makes m notify inv of every change. Call it before the first change.
func (m *Memory) Notify(inv Invalidator) { m.notify = inv }

// changed runs without the lock, because the Invalidator may ask for the key.
func (m *Memory) changed(id string) {
	if m.notify != nil {
		m.notify.KeyChanged(context.Background(), id)
	}
}

// RotateKey gives the key a new secret. Old secrets stay valid as described at [Issuer.Reissue]. Of two concurrent
// rotations the later one's secret is valid. The error comes from allow, or wraps [ErrNotFound] or [ErrBadKey].
func (m *Memory) RotateKey(_ context.Context, id string, grace time.Duration, allow Allow) (Key, Secret, error) {
	k, s, err := m.rotate(id, grace, allow)
	if err != nil {
		return Key{}, Secret{}, err
	}
	m.changed(id)
	return k, s, nil
}

func (m *Memory) rotate(id string, grace time.Duration, allow Allow) (Key, Secret, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.keys[id]
	if !ok {
		return Key{}, Secret{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err := allow.Decide(r.key.Clone()); err != nil {
		return Key{}, Secret{}, err
	}
	k, digests, s, err := m.cfg.Issuer.Reissue(r.key, r.digests, grace)
	if err != nil {
		return Key{}, Secret{}, err
	}
	for _, d := range append(r.digests.Old, r.digests.Current) {
		if !slices.Contains(digests.Old, d) {
			delete(m.index, d)
		}
	}
	digests.Current = s.Digest(m.cfg.Pepper)
	r.key, r.digests = k.Clone(), digests
	m.index[digests.Current] = id
	return k, s, nil
}

// ChangeKey changes the key with this id as [Issuer.Amend] does, and returns the stored key. Its error is that of
// change, or wraps [ErrNotFound], [ErrBadKey] or [ErrBound].
func (m *Memory) ChangeKey(_ context.Context, id string, change func(*Key) error) (Key, error) {
	var kept Key
	err := m.change(id, func(k *Key) error {
		n, err := m.cfg.Issuer.Amend(*k, change)
		if err == nil && n.NeedsRoom(k, m.cfg.Issuer.now()) {
			err = m.checkRoom(&n)
		}
		if err == nil {
			*k, kept = n, n.Clone()
		}
		return err
	})
	return kept, err
}

// RevokeKey revokes a key permanently. Revoking it again changes nothing. Its error comes from allow, or wraps
// [ErrNotFound].
func (m *Memory) RevokeKey(_ context.Context, id string, allow Allow) error {
	return m.change(id, func(k *Key) error {
		if err := allow.Decide(k.Clone()); err != nil {
			return err
		}
		if k.Revoked.IsZero() {
			k.Revoked = millis(m.cfg.Issuer.now())
		}
		return nil
	})
}

// SetKeyDisabled disables or enables a key. Its error wraps [ErrNotFound].
func (m *Memory) SetKeyDisabled(_ context.Context, id string, disabled bool) error {
	return m.change(id, func(k *Key) error {
		k.Disabled = disabled
		return nil
	})
}

// KeyUsed records that the key with this id was accepted at that time, at most once a minute. Use it as
// [Config.Used].
func (m *Memory) KeyUsed(id string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.keys[id]; ok && at.Sub(r.key.LastUsed) >= time.Minute {
		r.key.LastUsed = millis(at)
	}
}

// Key returns the key with this id. Its error wraps [ErrNotFound].
func (m *Memory) Key(_ context.Context, id string) (Key, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.keys[id]
	if !ok {
		return Key{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return r.key.Clone(), nil
}

// Keys lists all keys of owner, by creation time, then id.
func (m *Memory) Keys(_ context.Context, owner string) ([]Key, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.of(owner, Page{}), nil
}

// KeyPage implements [KeyManager].
func (m *Memory) KeyPage(_ context.Context, owner string, page Page) ([]Key, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.of(owner, page), nil
}

func (m *Memory) of(owner string, page Page) (all []Key) {
	for _, r := range m.keys {
		if r.key.Owner == owner {
			all = append(all, r.key)
		}
	}
	all = listing.Of(all, page, Key.Position)
	for i := range all {
		all[i] = all[i].Clone()
	}
	return all
}

func (m *Memory) change(id string, f func(*Key) error) error {
	err := m.apply(id, f)
	if err == nil {
		m.changed(id)
	}
	return err
}

func (m *Memory) apply(id string, f func(*Key) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.keys[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return f(&r.key)
}

// KeyByDigest implements [KeyStore].
func (m *Memory) KeyByDigest(ctx context.Context, d Digest) (*Key, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.keys[m.index[d]]
	if !ok {
		return nil, ErrNotFound
	}
	if !r.digests.Accept(&r.key, d, m.cfg.Issuer.now()) {
		return nil, ErrNotFound
	}
	k := r.key.Clone()
	return &k, nil
}
