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
	// maxGood is the maximum number of remembered credentials. goodFor is the minimum time for which half of them are
	// remembered.
	maxGood = 16_384
	goodFor = 10 * time.Minute
	// maxEntries is the maximum number of separate audit entries for refusals of all networks in a window.
	maxEntries = 600
	// maxCounted is the maximum number of networks with separate counts.
	maxCounted = 4096
)

// refusals remembers credentials that were recently accepted. They are still looked up if the refusals of their network
// are used up. It also counts refusals that have no separate audit entry.
type refusals struct {
	seed [32]byte // makes fingerprints in memory useless for testing guesses

	mu sync.Mutex
	// Two generations work like a list ordered by last use: used entries move to the newer generation, and the older
	// one is dropped when the newer one is full or old.
	newer, older map[fingerprint]struct{}
	turned       time.Time // start of newer
	window       time.Time // start of the current window of entries
	entries      int
	counted      map[string]auth.Entry // by network: the first entry, with the Count of all
	oldest       time.Time             // time of the oldest entry in counted
}

// A fingerprint identifies credentials.
type fingerprint [sha256.Size]byte

func newRefusals() *refusals {
	f := &refusals{newer: map[fingerprint]struct{}{}, counted: map[string]auth.Entry{}}
	_, _ = rand.Read(f.seed[:]) // never fails
	return f
}

// fingerprint returns the fingerprint of the credentials in r. A host's own sessions may use a cookie.
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

// good reports whether p was recently accepted.
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

// remember records that p was accepted.
func (f *refusals) remember(p fingerprint, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	f.newer[p] = struct{}{}
}

// forget records that p is not accepted any more.
func (f *refusals) forget(p fingerprint) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.newer, p)
	delete(f.older, p)
}

// turn starts a new generation if the current one is full or old, or if the clock went back.
func (f *refusals) turn(now time.Time) {
	if age := now.Sub(f.turned); len(f.newer) < maxGood/2 && age >= 0 && age < goodFor {
		return
	}
	f.older, f.newer, f.turned = f.newer, map[fingerprint]struct{}{}, now
}

// roomForEntry reports whether one more refusal may have its own audit entry.
func (f *refusals) roomForEntry(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := now.Sub(f.window); age < 0 || age >= auth.Window {
		f.window, f.entries = now, 0
	}
	f.entries++
	return f.entries <= maxEntries
}

// count adds e to the count of network.
func (f *refusals) count(network string, e auth.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.counted[network]; !known && len(f.counted) >= maxCounted {
		network = "" // all other networks together
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

// due returns the counts whose window is over, and resets them.
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
