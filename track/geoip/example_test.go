package geoip_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// A file of cities or countries in the MaxMind format implements track.Geo.
func Example() {
	var options track.Options // for sightline.Config.Track
	file, err := geoip.Open("no such file.mmdb")
	if err != nil {
		fmt.Println("visitors have no country")
	} else {
		options.Geo = file
	}
	// Output: visitors have no country
}
