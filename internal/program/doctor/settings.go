package doctor

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// oldPlaces is the age of a file of places at which too many addresses have moved. Vendors publish one each month.
const oldPlaces = 60 * 24 * time.Hour

// checkPlaces checks the file that finds the countries of addresses.
func (d *doctor) checkPlaces() {
	const fetch = "get a file (docs/operations.md#countries-by-address), and start serve with --geoip FILE"
	if d.GeoIP == "" && d.HasCountryHeader {
		d.found(OK, "geoip", "", "a header of the proxy names countries")
		return
	}
	if d.GeoIP == "" {
		d.found(Warning, "geoip", fetch+"; if the server has one, name it here too",
			"no file with the countries of addresses is named: without one, countries are empty")
		return
	}
	places, err := geoip.Open(d.GeoIP)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.found(Problem, "geoip", fetch, "%s does not exist, so the server does not start with it", d.GeoIP)
	case errors.Is(err, fs.ErrPermission):
		denied := install.Denied(d.GeoIP, false)
		d.found(Problem, "geoip", denied.Do(), "%s", denied.What())
	case err != nil:
		d.found(Problem, "geoip", fetch, "%s cannot be used: %v", d.GeoIP, err)
	case d.Now().Sub(places.Built()) > oldPlaces:
		d.found(Warning, "geoip", "replace the file with a newer one; the server reads it within 30 seconds",
			"%s is of %s: many addresses belong to other places by now", d.GeoIP,
			places.Built().UTC().Format(time.DateOnly))
	default:
		d.found(OK, "geoip", "", "%s is of %s", d.GeoIP, places.Built().UTC().Format(time.DateOnly))
	}
}

// checkProxy asks for the proxy, because nothing in the folder says whether there is one.
func (d *doctor) checkProxy() {
	if !d.HasProxy {
		d.found(Warning, "proxy", "start serve with --trusted-proxy ADDRESS, such as 127.0.0.1, if there is a proxy; "+
			"if the server has the option, give it here too",
			"no proxy is named: behind one, all clients have its address, and share its rate limits")
		return
	}
	d.found(OK, "proxy", "", "the server believes a proxy about addresses of clients")
}

// checkBuild looks for events of the other build of this program, and reports whether it found them.
func (d *doctor) checkBuild() bool {
	has, err := install.Exists(d.Data, install.EventsFile)
	if err != nil || has {
		return false
	}
	for _, other := range embedded.Files() {
		if has, err := install.Exists(d.Data, other); err != nil || !has {
			continue
		}
		do := "use a program that was built with cgo"
		if filepath.Ext(other) == ".sqlite" {
			do = "copy the events: sightline copy --to duckdb --data " + d.Data
		}
		d.found(Problem, "files", do, "the events are in %s, and this program stores events in %s", other,
			install.EventsFile)
		return true
	}
	return false
}
