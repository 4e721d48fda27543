package authtest_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

// The test of a key store, here of the store in memory. Cases for which Store has no function are
// skipped.
func ExampleRun() {
	TestKeys := func(t *testing.T) {
		pepper, err := auth.NewPepper([]byte("a pepper for tests, and no other"))
		if err != nil {
			t.Fatal(err)
		}
		authtest.Run(t, authtest.Harness{Pepper: pepper, Open: func(t *testing.T, now func() time.Time) authtest.Store {
			keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: now}})
			if err != nil {
				t.Fatal(err)
			}
			return authtest.Store{KeyStore: keys, Create: keys.CreateKey, Revoke: keys.RevokeKey}
		}})
	}
	_ = TestKeys
	// Output:
}
