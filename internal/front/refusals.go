package front

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

const (
	// maxGood is how many good credentials are remembered, and half of them for how long at least.
	maxGood = 16_384
	goodFor = 10 * time.Minute
	// maxEntries is how many refusals of all networks have entries of their own in a window.
	maxEntries = 600
	// maxCounted is how many networks' refusals are counted apart.
	maxCounted = 4096
)

// refusals know which credentials were good of late, so that they pass when the refusals of
// their client's network are used up (one that was revoked meanwhile is looked up once more),
// and count the refusals that have no audit entry of their own.
type refusals struct {
	seed [32]byte // so that what is in memory is no digest that a guess could be held against

	mu sync.Mutex
	// Two generations do for a list by last use: what is asked for moves into the newer one,
	// and the older one is dropped when the newer one is full or old.
	newer, older map[fingerprint]struct{}
	turned       time.Time // when newer began
	window       time.Time // when entries began to be counted
	entries      int
	counted      map[string]auth.Entry // by network: the first one, with the Count of all
	oldest       time.Time             // of counted
}

// A fingerprint tells credentials apart.
type fingerprint [sha256.Size]byte

func newRefusals() *refusals {
	f := &refusals{newer: map[fingerprint]struct{}{}, counted: map[string]auth.Entry{}}
	_, _ = rand.Read(f.seed[:]) // it never fails
	return f
}

// fingerprint is that of the credentials of r; those of a host's own sessions may be a cookie.
func (f *refusals) fingerprint(r *http.Request) fingerprint {
	b := append(make([]byte, 0, 256), f.seed[:]...)
	for _, name := range []string{"X-Api-Key", "Authorization", "Cookie"} {
		for _, v := range r.Header.Values(name) {
			b = append(append(b, v...), 0)
		}
		b = append(b, 1)
	}
	return sha256.Sum256(b)
}

// good reports whether p was good of late.
func (f *refusals) good(p fingerprint, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	if _, ok := f.newer[p]; ok {
		return true
	}
	_, ok := f.older[p]
	return ok
}

// remember notes that p is good now.
func (f *refusals) remember(p fingerprint, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	f.newer[p] = struct{}{}
}

// forget notes that p is not good any more.
func (f *refusals) forget(p fingerprint) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.newer, p)
	delete(f.older, p)
}

// turn begins a generation when it is time. A clock that was set back makes it time.
func (f *refusals) turn(now time.Time) {
	if age := now.Sub(f.turned); len(f.newer) < maxGood/2 && age >= 0 && age < goodFor {
		return
	}
	f.older, f.newer, f.turned = f.newer, map[fingerprint]struct{}{}, now
}

// roomForEntry reports whether one more refusal may have an audit entry of its own.
func (f *refusals) roomForEntry(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := now.Sub(f.window); age < 0 || age >= auth.Window {
		f.window, f.entries = now, 0
	}
	f.entries++
	return f.entries <= maxEntries
}

// count adds e to what is counted of network.
func (f *refusals) count(network string, e auth.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.counted[network]; !known && len(f.counted) >= maxCounted {
		network = "" // of all others together
	}
	first, known := f.counted[network]
	if !known {
		if len(f.counted) == 0 {
			f.oldest = e.Time
		}
		first = auth.Entry{Time: e.Time, Outcome: e.Outcome, Status: e.Status, IP: network}
	}
	first.Count++
	f.counted[network] = first
}

// due are the counts that are a window old, which begin anew.
func (f *refusals) due(now time.Time) (all []auth.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := now.Sub(f.oldest); len(f.counted) == 0 || age >= 0 && age < auth.Window {
		return nil
	}
	f.oldest = now
	for network, e := range f.counted {
		if age := now.Sub(e.Time); age < 0 || age >= auth.Window {
			all = append(all, e)
			delete(f.counted, network)
		} else if e.Time.Before(f.oldest) {
			f.oldest = e.Time
		}
	}
	return all
}
