package ask

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Time zones are read from files. An engine remembers the zones that requests name.

// maxZones bounds the names of zones that are remembered. It is more than the number of zones, since a file system may
// accept several spellings of one name.
const maxZones = 1000

// Zones remembers time zones by name. A nil zones remembers none.
type Zones struct {
	mu     sync.RWMutex
	byName map[string]*time.Location
}

// NewZones returns an empty cache of time zones.
func NewZones() *Zones { return &Zones{byName: map[string]*time.Location{}} }

// load returns a zone, or nil if the zone does not exist. Go accepts some names that IANA does not have. They mean
// something else on every machine, or count leap seconds.
func (z *Zones) load(name string) *time.Location {
	if z != nil {
		z.mu.RLock()
		known := z.byName[name]
		z.mu.RUnlock()
		if known != nil {
			return known
		}
	}
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "Local", "localtime", "posixrules", "posix", "right":
		return nil
	}
	found, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	if z != nil {
		z.mu.Lock()
		if len(z.byName) < maxZones {
			z.byName[strings.Clone(name)] = found
		}
		z.mu.Unlock()
	}
	return found
}

// Check looks up the zone of a request; nil when it names none.
func (z *Zones) Check(at FieldPath, name string, list *Issues) *time.Location {
	if name == "" {
		return nil
	}
	zone := z.load(name)
	if zone != nil {
		return zone
	}
	if plus := strings.ReplaceAll(name, " ", "+"); plus != name {
		// In the query of a URL a plus sign stands for a blank.
		e := Error{Message: fmt.Sprintf("unknown time zone %s: a + in an address is read as a blank, write %%2B",
			mistake.Quote(name))}
		if z.load(plus) != nil {
			e.Suggestion = plus
		} else {
			e.Message += "; use an IANA name such as Europe/Berlin"
		}
		list.Add(at, e)
		return nil
	}
	list.addf(at, "unknown time zone %s; use an IANA name such as Europe/Berlin", mistake.Quote(name))
	return nil
}
