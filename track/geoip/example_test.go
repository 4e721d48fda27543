package geoip_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// A file of cities or countries in the MaxMind format implements track.Config.Geo.
func Example() {
	cfg := track.Config{ /* … */ }
	file, err := geoip.Open("no such file.mmdb")
	if err != nil {
		fmt.Println("visitors have no country")
	} else {
		cfg.Geo = file
	}
	// Output: visitors have no country
}
