package docgen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/query"
)

// Check fails t if a page in the folder docs is out of date. With -update it rewrites the pages.
func Check(t testing.TB, docs string, src Source) {
	t.Helper()
	types, err := QueryTypes(t.Context(), src)
	if err != nil {
		t.Error(err)
		return
	}
	golden.Check(t, filepath.Join(docs, "query-types.md"), types)
	asking, err := AskingPage(t.Context(), src)
	if err != nil {
		t.Error(err)
		return
	}
	golden.Check(t, filepath.Join(docs, "asking.md"), asking)
	name := filepath.Join(docs, "definitions.md")
	written, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	definitions, err := Definitions(written, src.Engine.Types(), query.Vocabulary())
	if err != nil {
		t.Error(err)
		return
	}
	golden.Check(t, name, definitions)
}
