// Package geoip finds the locations of IP addresses in a MaxMind DB file (.mmdb) of cities or countries:
//
//	locations, err := geoip.Open("/var/lib/sightline/city.mmdb")
//	if err != nil {
//		return err
//	}
//	defer locations.Close()
//	tracking, err := track.New(track.Config{Geo: locations, Writer: rows}) // and the other required fields
package geoip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/sightline-analytics/sightline/track"
)

// ErrNoLocations: the file is valid but contains no locations.
var ErrNoLocations = errors.New("geoip: the file holds no locations")

// A File implements track.Geo. It is safe for concurrent use until Close is called.
type File struct {
	r *maxminddb.Reader
}

// Open maps the file at path into memory. Its error wraps [ErrNoLocations] if the file contains no
// locations.
func Open(path string) (*File, error) {
	r, err := maxminddb.Open(path)
	if err != nil {
		return nil, fmt.Errorf("geoip: %s: %w", path, err)
	}
	f := &File{r}
	if !f.tells() {
		_ = r.Close()
		return nil, fmt.Errorf("%w: %s is a %q", ErrNoLocations, path, r.Metadata.DatabaseType)
	}
	return f, nil
}

// tells reports whether one of the first records contains a location.
func (f *File) tells() bool {
	const enough = 1000
	n := 0
	for result := range f.r.Networks() {
		var rec record
		if result.Decode(&rec) == nil && rec.Country.Code != "" {
			return true
		}
		if n++; n == enough {
			break
		}
	}
	return false
}

// record contains the fields of a network that Locate reads.
type record struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Subdivisions []struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"subdivisions"`
	City struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"city"`
}

type names struct {
	English string `maxminddb:"en"`
}

// Locate implements track.Geo. It returns the country code, and the English names of the first subdivision and the
// city. The result for a damaged record is the zero Location.
func (f *File) Locate(addr netip.Addr) track.Location {
	var rec record
	if err := f.r.Lookup(addr).Decode(&rec); err != nil {
		return track.Location{}
	}
	p := track.Location{Country: rec.Country.Code, City: rec.City.Names.English}
	if len(rec.Subdivisions) > 0 {
		p.Region = rec.Subdivisions[0].Names.English
	}
	return p
}

// Close unmaps and closes the file. f must not be used afterwards. It does not wait.
func (f *File) Close(context.Context) error { return f.r.Close() }
