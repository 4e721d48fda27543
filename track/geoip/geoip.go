// Package geoip finds the locations of IP addresses in a MaxMind DB file (.mmdb) of cities or countries:
//
//	locations, err := geoip.Open("/var/lib/sightline/city.mmdb")
//	if err != nil {
//		return err
//	}
//	tracking, err := sightline.New(sightline.Config{Track: track.Options{Geo: locations}}) // and the required fields
//	changed, err := locations.Reload() // after the file was replaced, or now and then
//
// It reads the schemas of MaxMind, DB-IP, IPinfo and IPLocate.
package geoip

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/track"
)

// ErrNoLocations: the file is valid but contains no locations.
var ErrNoLocations = errors.New("geoip: the file holds no locations")

// A File implements track.Geo. Its content is in memory, so the file may be replaced, overwritten or deleted. It is
// safe for concurrent use.
type File struct {
	path string
	held atomic.Pointer[content]

	mu    sync.Mutex // of tried
	tried fs.FileInfo
}

// A content is the content of a file.
type content struct {
	*maxminddb.Reader

	locate func(maxminddb.Result) (track.Location, error)

	once    sync.Once         // of regions
	regions map[string]string // names by ISO 3166-2 code
}

// Open reads the file at path into memory. Its error wraps [ErrNoLocations] if the file contains no
// locations.
func Open(path string) (*File, error) {
	f := &File{path: path}
	if _, err := f.reload(false); err != nil {
		return nil, err
	}
	return f, nil
}

// Reload reads the file again if it has changed since the last call, and reports whether it has. If the new content
// is damaged or has no locations, Reload returns an error, and the locations of before stay. It does not repeat the
// error until the file changes again.
func (f *File) Reload() (changed bool, err error) { return f.reload(true) }

// reload is Reload. It reads all records if whole is true, which takes seconds, to find damages.
func (f *File) reload(whole bool) (changed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err != nil {
		return false, fmt.Errorf("geoip: %w", err)
	}
	if unchanged(f.tried, info) {
		return false, nil
	}
	f.tried = info
	c, err := read(f.path, whole)
	if err != nil {
		return false, err
	}
	f.held.Store(c)
	return true, nil
}

// unchanged reports whether before, which may be nil, is of the same content as now.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() &&
		before.ModTime().Equal(now.ModTime())
}

// Built returns the time when the vendor built the content.
func (f *File) Built() time.Time { return f.held.Load().Metadata.BuildTime() }

// read reads a file.
func read(path string, whole bool) (*content, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("geoip: %w", err)
	}
	r, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("geoip: %s: %w", path, err)
	}
	c := &content{Reader: r}
	for _, c.locate = range schemas() {
		found, err := c.check(whole)
		if err != nil {
			return nil, fmt.Errorf("geoip: %s: %w", path, err)
		}
		if found {
			return c, nil
		}
	}
	return nil, fmt.Errorf("%w: %s is a %q", ErrNoLocations, path, r.Metadata.DatabaseType)
}

// Region returns the name that Locate has for a region with an ISO 3166-2 code, such as DE-BE; empty if the file
// has no such code. The first call reads all networks, which takes seconds.
func (f *File) Region(code string) string {
	c := f.held.Load()
	c.once.Do(func() {
		c.regions = map[string]string{}
		for result := range c.Networks() {
			var rec nestedRecord
			if result.Decode(&rec) == nil && len(rec.Subdivisions) > 0 && rec.Subdivisions[0].Code != "" {
				c.regions[rec.Country.Code+"-"+rec.Subdivisions[0].Code] = rec.Subdivisions[0].Names.English
			}
		}
	})
	return c.regions[code]
}

// check reports whether one of the first records contains a location. If so and whole is true, it reads the other
// records too. Its error says how the file is damaged.
func (c *content) check(whole bool) (found bool, err error) {
	const enough = 1000
	n := 0
	for result := range c.Networks() {
		at, err := c.locate(result)
		if _, damaged := errors.AsType[maxminddb.InvalidDatabaseError](err); damaged {
			return false, err
		}
		found = found || at.Country != ""
		if n++; found && !whole || n == enough && !found {
			break
		}
	}
	return found, nil
}

// schemas lists how vendors write locations.
func schemas() []func(maxminddb.Result) (track.Location, error) {
	return []func(maxminddb.Result) (track.Location, error){nested, flat}
}

// A nestedRecord is a record of MaxMind or DB-IP.
type nestedRecord struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Subdivisions []struct {
		Code  string `maxminddb:"iso_code"`
		Names names  `maxminddb:"names"`
	} `maxminddb:"subdivisions"`
	City struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"city"`
}

// nested reads a nestedRecord: the country code, and the English names of the first subdivision and the city.
func nested(result maxminddb.Result) (track.Location, error) {
	var rec nestedRecord
	if err := result.Decode(&rec); err != nil {
		return track.Location{}, err
	}
	p := track.Location{Country: rec.Country.Code, City: rec.City.Names.English}
	if len(rec.Subdivisions) > 0 {
		p.Region = rec.Subdivisions[0].Names.English
	}
	return p, nil
}

type names struct {
	English string `maxminddb:"en"`
}

// flat reads a record of IPinfo or IPLocate. Their country is a code or, beside a code, a name.
func flat(result maxminddb.Result) (track.Location, error) {
	var rec struct {
		Code    string `maxminddb:"country_code"`
		Country string `maxminddb:"country"`
		Region  string `maxminddb:"region"`
		State   string `maxminddb:"subdivision"`
		City    string `maxminddb:"city"`
	}
	if err := result.Decode(&rec); err != nil {
		return track.Location{}, err
	}
	code, _ := country.Code(cmp.Or(rec.Code, rec.Country))
	return track.Location{Country: code, Region: cmp.Or(rec.Region, rec.State), City: rec.City}, nil
}

// Locate implements track.Geo. It returns the country code, and the English names of the first subdivision and the
// city. The result for a damaged record is the zero Location.
func (f *File) Locate(addr netip.Addr) track.Location {
	c := f.held.Load()
	at, err := c.locate(c.Lookup(addr))
	if err != nil {
		return track.Location{}
	}
	return at
}
