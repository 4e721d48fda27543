package flagstest_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/flagstest"
)

// The test of a flag store, here of the store in memory, which only one process can use.
func Example() {
	TestFlags := func(t *testing.T) {
		flagstest.Run(t, flagstest.Harness{Open: func(*testing.T) (one, other flags.Store) {
			m := &flags.Memory{}
			return m, m
		}})
	}
	_ = TestFlags
}
