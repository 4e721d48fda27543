package audit_test

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// byHand authenticates fields as the package says: a text after its length, numbers in
// eight bytes, MACs as they are.
func byHand(t *testing.T, fields ...any) (m audit.MAC) {
	t.Helper()
	key, err := hkdf.Key(sha256.New, pepper, nil, "sightline audit trail 1", 32)
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, key)
	for _, f := range fields {
		switch f := f.(type) {
		case string:
			h.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(f))), f...))
		case int:
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(f)))
		case audit.MAC:
			h.Write(f[:])
		}
	}
	return audit.MAC(h.Sum(nil))
}

// TestSealsByHand pins what is authenticated: logs outlive programs.
func TestSealsByHand(t *testing.T) {
	m := &audit.Memory{}
	w := newWriter(t, audit.Config{Log: m})
	for range 2 {
		err := w.Record(t.Context(), auth.Entry{
			Time: time.UnixMilli(7), RequestID: "a", KeyID: "b", Start: "c", Owner: "d", Method: "e", Route: "f",
			Resource: auth.Resource{Kind: "g", ID: "h", Owner: "i"}, Scope: "j", Outcome: "k", Status: 200, IP: "l", UserAgent: "m",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closeWriter(t, w)
	state, err := m.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	head := state.Chains[0].Head
	prev := byHand(t, "chain", head.Writer)
	seq := 0
	for r := range m.Scan(t.Context()) {
		seq++
		want := byHand(t, "entry", head.Writer, seq, prev, 7, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", 200, "l", "m")
		if r.MAC != want {
			t.Errorf("entry %d has another MAC", seq)
		}
		prev = want
	}
	if seq != 2 || head.Seal != byHand(t, "head", head.Writer, 2, prev) {
		t.Error("the head has another seal")
	}
	if state.Roster.Seal != byHand(t, "roster", 1, 1, head.Writer) {
		t.Error("the roster has another seal")
	}
	if err := m.Cut(t.Context(), []audit.Mark{{Writer: head.Writer, Seq: 2, MAC: prev, Seal: byHand(t, "cut", head.Writer, 2, prev)}}); err != nil {
		t.Fatal(err)
	}
	if r, err := audit.Verify(t.Context(), m, pepper); err != nil || r.Err() != nil {
		t.Errorf("with a cut sealed by hand: %v, %v", err, r.Problems)
	}
}
