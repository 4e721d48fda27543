package flags_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/flagstest"
)

func TestMemoryConforms(t *testing.T) {
	flagstest.Run(t, flagstest.Harness{Open: func(*testing.T) (one, other flags.Store) {
		m := &flags.Memory{}
		return m, m
	}})
}
