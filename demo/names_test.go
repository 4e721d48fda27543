package demo

import (
	"testing"

	"github.com/sightline-analytics/sightline/internal/agent"
)

// TestNamesAreThoseOfTheTracker checks that the names of browsers, systems and devices are those that the tracker and
// imports store.
func TestNamesAreThoseOfTheTracker(t *testing.T) {
	known := agent.NewNames()
	for _, m := range machines {
		// An unknown device is empty; an unknown name would be found as itself, so it needs a spelling of its own.
		if known.Device(m.device) != m.device {
			t.Errorf("device %q", m.device)
		}
		if family, _ := known.System(spaced(m.os)); m.os != "" && family != m.os {
			t.Errorf("system %q", m.os)
		}
		for _, b := range m.browsers {
			if family, _ := known.Browser(spaced(b.name)); family != b.name {
				t.Errorf("browser %q", b.name)
			}
		}
	}
}

// spaced returns another spelling of a name, which is only found if the name is known.
func spaced(name string) string { return name[:min(1, len(name))] + "-" + name[min(1, len(name)):] }
