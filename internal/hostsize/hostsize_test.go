package hostsize

import (
	"debug/buildinfo"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/golden"
)

const (
	document = "../../docs/embedding.md"
	// tolerance is the part by which a size may differ from the document. Toolchains and linkers differ by a few
	// percent.
	tolerance = 0.1
)

// A size is what a host links: modules beside this one, and the bytes of its program in MB.
type size struct {
	modules int
	mb      float64
}

// row returns the row of the document for a host.
func (s size) row(title string) string {
	return fmt.Sprintf("| %s | %d | %.1f |\n", title, s.modules, s.mb)
}

// near reports whether s is what the document says, within the tolerance.
func (s size) near(documented size) bool {
	return s.modules == documented.modules && math.Abs(s.mb-documented.mb) <= tolerance*documented.mb
}

// TestGoldenHosts builds the programs and compares their sizes with the table of the document.
func TestGoldenHosts(t *testing.T) {
	golden.OnlyUpdate(t)
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" {
		t.Skip("the sizes in docs/embedding.md are for linux/amd64, not " + platform)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, host := range []struct {
		folder, title string
		cgo           bool
	}{
		{"none", "with its own store", false},
		{"sqlite", "with `store/sqlite`", false},
		{"duckdb", "with `store/duckdb`", true},
		{"clickhouse", "with `store/clickhouse`", false},
		{"mcp", "with `store/sqlite` and `mcp`", false},
	} {
		if host.cgo && !cgo(t) {
			t.Logf("%s is not built: it needs cgo", host.folder)
			continue
		}
		at, documented, err := find(lines, host.title)
		if err != nil {
			t.Error(err)
			continue
		}
		if now := build(t, host.folder); !now.near(documented) {
			lines[at] = now.row(host.title)
		}
	}
	golden.Check(t, document, []byte(strings.Join(lines, "")))
}

// find returns the place of a host's row, and the size in it.
func find(lines []string, title string) (at int, s size, err error) {
	at = slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+title+" |") })
	if at >= 0 {
		_, err = fmt.Sscanf(strings.TrimPrefix(lines[at], "| "+title), " | %d | %f |", &s.modules, &s.mb)
	}
	if at < 0 || err != nil {
		return 0, size{}, fmt.Errorf("%s has no row like %q", document, size{10, 15}.row(title))
	}
	return at, s, nil
}

// build builds a program of testdata as releases are built, without the flags of this test.
func build(t *testing.T, folder string) size {
	t.Helper()
	file := filepath.Join(t.TempDir(), folder)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s", "-buildvcs=false", "-o", file,
		"./testdata/"+folder)
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", folder, err, out)
	}
	built, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return size{len(built.Deps), float64(info.Size()) / 1e6}
}

// cgo reports whether go builds with cgo.
func cgo(t *testing.T) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)) == "1"
}

// TestNear fails if a difference is overlooked that the document must show.
func TestNear(t *testing.T) {
	documented := size{10, 20}
	for _, tt := range []struct {
		now  size
		want bool
	}{
		{size{10, 21.9}, true}, {size{10, 18.1}, true}, {size{10, 22.1}, false}, {size{10, 17.9}, false},
		{size{11, 20}, false}, {size{9, 20}, false},
	} {
		if got := tt.now.near(documented); got != tt.want {
			t.Errorf("%v near %v is %v", tt.now, documented, got)
		}
	}
}
