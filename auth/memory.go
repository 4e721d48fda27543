package auth

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Memory is a KeyStore in memory, for tests, examples, and hosts that make their keys at start. It is
// safe for concurrent use.
type Memory struct {
	cfg    MemoryConfig
	notify Invalidator // nil means nobody

	mu    sync.RWMutex
	keys  map[string]*record // by id
	index map[Digest]string  // id by digest, also by the digests of old secrets
}

// MemoryConfig is what [NewMemory] needs.
type MemoryConfig struct {
	Pepper Pepper // required
	Issuer Issuer // the zero one will do
}

// NewMemory makes a Memory without keys. Its error says that there is no pepper.
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

// Create stores k with a new secret, and returns both: k as it is kept (see [Issuer.Issue]), and the
// secret, which no other call returns. Its error wraps [ErrBadKey] or, when the id is taken,
// [ErrExists].
func (m *Memory) Create(k Key) (Key, Secret, error) {
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
	m.keys[k.ID], m.index[d] = &record{key: k.Clone(), digests: Digests{Current: d}}, k.ID
	return nil
}

// Notify makes m call inv on every change from now on. Call it before the first change.
func (m *Memory) Notify(inv Invalidator) { m.notify = inv }

// changed runs without the lock, since whoever is told may ask for the key.
func (m *Memory) changed(id string) {
	if m.notify != nil {
		m.notify.KeyChanged(context.Background(), id)
	}
}

// Rotate gives the key a new secret and keeps old ones valid as [Issuer.Reissue] says. Of two rotations at once the later one's secret is valid. Its error wraps [ErrNotFound]
// or [ErrBadKey].
func (m *Memory) Rotate(id string, grace time.Duration) (Key, Secret, error) {
	k, s, err := m.rotate(id, grace)
	if err != nil {
		return Key{}, Secret{}, err
	}
	m.changed(id)
	return k, s, nil
}

func (m *Memory) rotate(id string, grace time.Duration) (Key, Secret, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.keys[id]
	if !ok {
		return Key{}, Secret{}, fmt.Errorf("%w: %s", ErrNotFound, id)
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

// Change changes the key of an id by [Issuer.Amend], and returns it as it is kept now. Its error wraps
// [ErrNotFound] or [ErrBadKey].
func (m *Memory) Change(id string, change func(*Key)) (Key, error) {
	var kept Key
	err := m.change(id, func(k *Key) error {
		n, err := m.cfg.Issuer.Amend(*k, change)
		if err == nil {
			*k, kept = n, n.Clone()
		}
		return err
	})
	return kept, err
}

// Revoke ends a key for good; revoking again changes nothing. Its error wraps [ErrNotFound].
func (m *Memory) Revoke(id string) error {
	return m.change(id, func(k *Key) error {
		if k.Revoked.IsZero() {
			k.Revoked = millis(m.cfg.Issuer.now())
		}
		return nil
	})
}

// SetDisabled disables a key, or enables it again. Its error wraps [ErrNotFound].
func (m *Memory) SetDisabled(id string, disabled bool) error {
	return m.change(id, func(k *Key) error {
		k.Disabled = disabled
		return nil
	})
}

// KeyUsed records that the key of id was accepted at an instant, at most once a minute. It fits
// [Config.Used].
func (m *Memory) KeyUsed(id string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.keys[id]; ok && at.Sub(r.key.LastUsed) >= time.Minute {
		r.key.LastUsed = millis(at)
	}
}

// Key returns the key of an id. Its error wraps [ErrNotFound].
func (m *Memory) Key(id string) (Key, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.keys[id]
	if !ok {
		return Key{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return r.key.Clone(), nil
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
