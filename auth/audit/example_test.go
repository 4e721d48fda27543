package audit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// A writer is the auth.Sink for httpapi.Config and track.Config. Anyone with the pepper can verify its
// entries at any time.
func Example() {
	ctx := context.Background()
	pepper, err := auth.NewPepper([]byte("32 random bytes from a safe file"))
	if err != nil {
		fmt.Println(err)
		return
	}
	log := &audit.Memory{} // in production a database: meta.Store.Audit
	trail, err := audit.New(ctx, audit.Config{Log: log, Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	use := auth.Entry{Time: time.Now(), KeyID: "key_nightly", Route: "/v1/query", Outcome: auth.OutcomeOf(200),
		Status: 200}
	fmt.Println(trail.Record(ctx, use))
	fmt.Println(trail.Close(ctx)) // writes the buffered entries

	report, err := audit.Verify(ctx, log, pepper)
	fmt.Println(report.Entries, report.Err(), err)
	// Output:
	// <nil>
	// <nil>
	// 1 <nil> <nil>
}
