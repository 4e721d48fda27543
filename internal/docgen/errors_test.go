package docgen_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/internal/docgen"
	"github.com/sightline-analytics/sightline/internal/golden"
)

func TestGoldenErrors(t *testing.T) {
	golden.Check(t, "../../docs/errors.md", docgen.Errors())
}
