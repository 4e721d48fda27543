package audit_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// TestLineByHand fixes the stored text, because logs outlive programs.
func TestLineByHand(t *testing.T) {
	r := audit.Record{Writer: "w", Seq: 7, Entry: auth.Entry{
		Time: time.UnixMilli(7), RequestID: "a", KeyID: "b", Start: "c", Owner: "d", Method: "e", Route: "<f>&",
		Resource: auth.Resource{Kind: "g", ID: "h", Owner: "i"}, Scope: "j", Outcome: "k", Status: 200, IP: "l",
		UserAgent: "\"m\u2028",
	}}
	const required = `{"writer":"w","seq":7,"time":"1970-01-01T00:00:00.007Z","requestId":"a","keyId":"b","start":"c","owner":"d","method":"e",` +
		`"route":"<f>&","resourceKind":"g","resourceId":"h","resourceOwner":"i","scope":"j","outcome":"k","status":200,"ip":"l","userAgent":"\"m\u2028"`
	const mac = `,"mac":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}` + "\n"
	if got := string(audit.AppendLine([]byte("before "), r)); got != "before "+required+mac {
		t.Errorf("without the optional fields: %s", got)
	}
	r.Entry.Token, r.Entry.Subject, r.Entry.Count = "n", "o", 2
	if got := string(audit.AppendLine(nil, r)); got != required+`,"token":"n","subject":"o","count":2`+mac {
		t.Errorf("with the optional fields: %s", got)
	}
}

// lineOf returns a line that a log stores.
func lineOf(tb testing.TB) []byte {
	tb.Helper()
	m := &audit.Memory{}
	w := newWriter(tb, audit.Config{Log: m})
	if err := w.Record(tb.Context(), use()); err != nil {
		tb.Fatal(err)
	}
	closeWriter(tb, w)
	return audit.AppendLine(nil, copyOf(tb, m).records[0])
}

// TestEveryByteOfALineCounts flips each byte of a line, in turn. The line is rejected, or its record differs, which
// Verify reports.
func TestEveryByteOfALineCounts(t *testing.T) {
	line := lineOf(t)
	whole, err := audit.ParseLine(line)
	if err != nil {
		t.Fatal(err)
	}
	for i := range line {
		flipped := bytes.Clone(line)
		flipped[i] ^= 1 << (i % 8)
		if r, err := audit.ParseLine(flipped); err == nil && r == whole {
			t.Errorf("byte %d of %d changed: %s", i, len(line), flipped)
		}
	}
}

// FuzzLines checks that an accepted line is written again as the same bytes.
func FuzzLines(f *testing.F) {
	line := lineOf(f)
	f.Add(line)
	f.Add([]byte("{\"writer\":\"a\",\"writer\":\"b\"}\n"))
	f.Add(bytes.ReplaceAll(line, []byte("seq"), []byte("Seq")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := audit.ParseLine(text); err == nil && !bytes.Equal(audit.AppendLine(nil, r), text) {
			t.Fatalf("%q was read as %+v", text, r)
		}
	})
}

// FuzzTexts checks that a record with any texts is written and read again unchanged.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\"b\\c\n\t\x7f", "<&>", "ü😀\u2028", "\uFFFD"} {
		f.Add(seed, 0)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = strings.ToValidUTF8(s, "")
		want := audit.Record{Writer: s, Seq: int64(n),
			Entry: auth.Entry{Time: time.UnixMilli(1_795_000_000_123).UTC(), RequestID: s, KeyID: s, Start: s, Owner: s,
				Method: s, Route: s, Resource: auth.Resource{Kind: s, ID: s, Owner: s}, Scope: auth.Scope(s),
				Outcome: s,
				Status:  n, IP: s, UserAgent: s, Token: s, Subject: s, Count: n}}
		if got, err := audit.ParseLine(audit.AppendLine(nil, want)); err != nil || got != want {
			t.Fatalf("%+v was read as %+v: %v", want, got, err)
		}
	})
}

// BenchmarkAppendLine measures the text of an ordinary use.
func BenchmarkAppendLine(b *testing.B) {
	r := audit.Record{Writer: "20261121T173258Z-abcdefghijkl", Seq: 12_345, Entry: use()}
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = audit.AppendLine(line[:0], r)
	}
}
