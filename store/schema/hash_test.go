package schema

import (
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// TestHashesDoNotChange fails if the hashes change, because files have them.
func TestHashesDoNotChange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "zwölf": 1964606880829950883} {
		if got := HashText([]byte("key"), text); got != want {
			t.Errorf("HashText(%q) = %d, want %d", text, got, want)
		}
	}
	hi, lo := Identity{Subject: "w", ID: "e"}.Hash()
	if wantHi, wantLo := int64(3770259151544827861), int32(1191208618); hi != wantHi || lo != wantLo {
		t.Errorf("the hash of an identity is %d %d, want %d %d", hi, lo, wantHi, wantLo)
	}
}

// Identities that differ in one part have different hashes.
func TestHashOfIdentity(t *testing.T) {
	t.Parallel()
	seen := map[int64]Identity{}
	for _, of := range []Identity{
		{Subject: "w", ID: "e"}, {Subject: "we"}, {ID: "we"}, {Subject: "w", ID: "e", Keyed: true},
		{Subject: "w", ID: "e", Kind: uint8(store.Click)}, {Subject: "w", ID: "e", Table: Errors},
	} {
		hi, _ := of.Hash()
		if other, known := seen[hi]; known {
			t.Errorf("%+v and %+v have one hash", of, other)
		}
		seen[hi] = of
	}
}
