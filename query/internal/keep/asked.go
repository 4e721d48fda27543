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

// note records a request about a website.
func (l *lastAsked) note(of store.Subject, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[store.Subject]time.Time{}
	}
	l.at[of] = now
}

// order returns a comparison of websites by the requests so far: the website of the last request comes first.
func (l *lastAsked) order() func(a, b store.Subject) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := maps.Clone(l.at)
	return func(a, b store.Subject) int { return at[b].Compare(at[a]) }
}
