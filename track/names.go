package track

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Bounds of the names of properties. Each process counts for itself, and begins again after a restart.
const (
	// maxPropertyNames is the number of different names of properties that a website may have in the events that arrive
	// within a UTC day. Lists of properties, and what is precomputed of them, grow with the names.
	maxPropertyNames = 1000
	// namesKept is the maximum number of websites whose names are counted; beyond it the website that was used least
	// recently leaves. Together they take 16 MB.
	namesKept = 2000
)

// propertiesReason is recorded for events that lost properties with further names.
const propertiesReason = "properties"

// A nameCounter knows which names of properties websites have had today. It is safe for concurrent use.
type nameCounter struct {
	seed maphash.Seed // random, so that nobody can choose names with the hash of others

	mu sync.Mutex
	by *simplelru.LRU[string, *namesOfDay]
}

// namesOfDay are the hashes of names, in ascending order.
type namesOfDay struct {
	day    time.Time
	hashes []uint64
}

func newNameCounter() (*nameCounter, error) {
	by, err := simplelru.NewLRU[string, *namesOfDay](namesKept, nil)
	return &nameCounter{seed: maphash.MakeSeed(), by: by}, err
}

// of returns the names of a website at a time. The caller holds the lock.
func (c *nameCounter) of(website string, now time.Time) *namesOfDay {
	day := now.UTC().Truncate(24 * time.Hour)
	one, ok := c.by.Get(website)
	if !ok || one.day.Before(day) {
		one = &namesOfDay{day: day}
		c.by.Add(website, one)
	}
	return one
}

// known returns those of names that a website may have now: names that it has had today, and new ones up to the bound.
func (c *nameCounter) known(website string, now time.Time, names []string) (may []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of(website, now)
	left := maxPropertyNames - len(one.hashes)
	for _, name := range names {
		_, had := slices.BinarySearch(one.hashes, maphash.String(c.seed, name))
		if !had && left <= 0 {
			continue
		}
		if !had {
			left--
		}
		may = append(may, name)
	}
	return may
}

// add counts the names of a stored event. Concurrent requests may exceed the bound by the names of their events.
func (c *nameCounter) add(website string, now time.Time, names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of(website, now)
	for _, name := range names {
		h := maphash.String(c.seed, name)
		if at, had := slices.BinarySearch(one.hashes, h); !had && len(one.hashes) < maxPropertyNames {
			one.hashes = slices.Insert(one.hashes, at, h)
		}
	}
}
