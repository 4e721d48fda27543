package keep

import (
	"maps"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// lastAsked records the last request about each website. It is safe for concurrent use.
type lastAsked struct {
	mu sync.Mutex
	at map[store.Subject]time.Time
}

func (l *lastAsked) Note(of store.Subject, now time.Time) {
	if of.Kind != store.KindWebsite {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[store.Subject]time.Time{}
	}
	l.at[of] = now
}

// order returns a comparison of websites, as they were asked about so far: the last one comes first.
func (l *lastAsked) order() func(a, b store.Subject) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := maps.Clone(l.at)
	return func(a, b store.Subject) int { return at[b].Compare(at[a]) }
}
