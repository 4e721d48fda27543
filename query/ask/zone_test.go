package ask

import (
	"strconv"
	"testing"
)

func TestZonesAreRememberedUpToABound(t *testing.T) {
	z := NewZones()
	berlin := z.load("Europe/Berlin")
	if berlin == nil || z.load("Europe/Berlin") != berlin {
		t.Error("Europe/Berlin is not remembered")
	}
	for _, name := range []string{"Local", "right/Europe/Berlin", "Europe/Atlantis"} {
		if z.load(name) != nil {
			t.Errorf("%s is a zone", name)
		}
	}
	for i := range maxZones - len(z.byName) {
		z.byName[strconv.Itoa(i)] = berlin
	}
	if z.load("Asia/Kathmandu") == nil {
		t.Error("beyond the bound there are no zones")
	}
	if n := len(z.byName); n != maxZones {
		t.Errorf("%d names are remembered, more than %d", n, maxZones)
	}
}
