package testenv

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// TestServers says which tests were skipped because something is missing. With -v it prints a line for each.
func TestServers(t *testing.T) {
	var lines []string
	for variable, example := range servers {
		if os.Getenv(variable) == "" {
			lines = append(lines, fmt.Sprintf("%s is not set; tests with this server would also run with an address such as %s", variable, example))
		}
	}
	for name, from := range programs {
		if find(name) == "" {
			lines = append(lines, fmt.Sprintf("%s is not installed; its tests would also run with Debian's package %s",
				name, from))
		}
	}
	if browser() == "" {
		lines = append(lines, "Chromium is not installed; its tests would also run with Debian's package chromium-headless-shell")
	}
	slices.Sort(lines)
	for _, line := range lines {
		t.Log(line)
	}
	if len(lines) > 0 {
		t.Skip("install and start all of it with CI=true .ci/run, or see CONTRIBUTING.md")
	}
}
