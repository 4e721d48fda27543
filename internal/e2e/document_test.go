//go:build cgo

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDocument validates and lints the OpenAPI document, and finds mistakes in copies of it.
func TestDocument(t *testing.T) {
	t.Parallel()
	folder := clients(t)
	document, err := filepath.Abs(filepath.Join(root, "internal", "openapi", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, folder, "openapi.mjs", document)
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"a reference to nothing":       {`"#/components/schemas/Query"`, `"#/components/schemas/Nothing"`},
		"an example with a wrong type": {`"clickhouse": true`, `"clickhouse": "yes"`},
		"an unknown keyword":           {`"operationId": "listWebsites"`, `"operation": "listWebsites"`},
	} {
		broken := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		file := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(file, broken, 0o600); err != nil || bytes.Equal(broken, text) {
			t.Errorf("%s: the document is not changed, %v", name, err)
			continue
		}
		cmd := exec.CommandContext(t.Context(), "node", "openapi.mjs", file)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%s: the linter finds nothing: %s", name, out)
		}
	}
}
