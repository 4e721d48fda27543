package keep

import (
	"maps"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// lastAsked records the time of the last request about each website. It is safe for concurrent use.
type lastAsked struct {
	mu sync.Mutex
	at map[store.Subject]time.Time
}

// NoteAsked records that somebody asks about a website now. Other subjects are ignored.
func (k *Keeper) NoteAsked(of store.Subject) {
	if of.Kind != store.KindWebsite {
		return
	}
	now := k.now()
	k.asked.mu.Lock()
	defer k.asked.mu.Unlock()
	if k.asked.at == nil {
		k.asked.at = map[store.Subject]time.Time{}
	}
	k.asked.at[of] = now
}

// order returns a comparison of websites by the requests so far: the website of the last request comes first.
func (l *lastAsked) order() func(a, b store.Subject) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := maps.Clone(l.at)
	return func(a, b store.Subject) int { return at[b].Compare(at[a]) }
}
