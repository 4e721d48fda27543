//go:build cgo

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestRuntimes runs the scenario of the package client/typescript in Bun and Deno, as an ES module and as CommonJS, and
// bundled in workerd, the runtime of Cloudflare Workers. TestAPIClients runs it in Node.
func TestRuntimes(t *testing.T) {
	testenv.Night(t, "runtimes")
	folder := packageUser(t)
	mustRun(t, inFolder(t, folder, compiler))
	compileCommonJS(t, folder)
	runtimes := t.TempDir()
	if err := os.CopyFS(runtimes, os.DirFS(filepath.Join("testdata", "runtimes"))); err != nil {
		t.Fatal(err)
	}
	mustRun(t, inFolder(t, runtimes, "npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"))
	p := startRaced(t, filepath.Join(t.TempDir(), "data"), "--demo-days", "7")
	defer p.stop(t)
	for name, pattern := range map[string]string{"bun": "@oven/*/bin/bun", "deno": "@deno/*/deno"} {
		programs, err := filepath.Glob(filepath.Join(runtimes, "node_modules", filepath.FromSlash(pattern)))
		if err != nil || len(programs) == 0 {
			t.Fatalf("%s: no program %s, %v", name, pattern, err)
		}
		for _, form := range []string{"build", "commonjs"} {
			t.Run(name+"/"+form, func(t *testing.T) {
				args := []string{"run", filepath.Join(form, "api-client.js"), p.line}
				if name == "deno" {
					args = append([]string{"run", "--allow-all", "--no-lock", "--node-modules-dir=manual"}, args[1:]...)
				}
				mustRun(t, inFolder(t, folder, programs[0], args...))
			})
		}
	}
	t.Run("workerd", func(t *testing.T) {
		mustRun(t, inFolder(t, runtimes, "node", "worker.mjs", filepath.Join(folder, "build"), p.line))
	})
}
