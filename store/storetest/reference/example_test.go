package reference_test

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// One visitor views two pages. The example prints the expected answer for that day.
func Example() {
	noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	var b store.Batch
	for i, path := range []string{"/", "/pricing"} {
		b.Events = append(b.Events,
			store.Event{Website: "shop", ID: fmt.Sprint(i), Name: "screen_view", Kind: store.Pageview, Path: path,
				Time:     noon.Add(time.Duration(i) * time.Minute),
				Identity: store.Identity{AnonymousID: "ada", SessionID: "s1"}})
	}
	rows, err := reference.NewData(b).Answer(reference.Question{Type: "top_pages", Zone: "UTC", Now: noon,
		Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}, StartDate: "2026-03-10", EndDate: "2026-03-10"})
	fmt.Println(string(rows), err)
	// Output: [{"path":"/","name":"/","pageviews":1,"visitors":1,"percentage":50},{"path":"/pricing","name":"/pricing","pageviews":1,"visitors":1,"percentage":50}] <nil>
}
