package audit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// A writer is the auth.Sink of httpapi.Config and track.Config. What it wrote can be
// verified at any time, by whoever has the pepper.
func Example() {
	ctx := context.Background()
	pepper, err := auth.NewPepper([]byte("32 random bytes from a safe file"))
	if err != nil {
		fmt.Println(err)
		return
	}
	log := &audit.Memory{} // in production the database's: meta.Store.Audit
	trail, err := audit.New(ctx, audit.Config{Log: log, Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	use := auth.Entry{Time: time.Now(), KeyID: "key_nightly", Route: "/v1/query", Outcome: auth.OutcomeOf(200), Status: 200}
	fmt.Println(trail.Record(ctx, use))
	fmt.Println(trail.Close(ctx)) // writes what is still held in memory

	report, err := audit.Verify(ctx, log, pepper)
	fmt.Println(report.Entries, report.Err(), err)
	// Output:
	// <nil>
	// <nil>
	// 1 <nil> <nil>
}
