package query_test

import (
	"bytes"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A remembered answer is compressed once by each coding, and stays valid when memory is used again.
func TestWholeAnswersAreKept(t *testing.T) {
	s := newTelling()
	for _, row := range []struct {
		keep  int64
		asked uint64 // statements of four requests
		times int    // it was compressed
	}{{500_000, 2, 4}, {-1, 4, 8}} {
		s.version.Store(0)
		s.asked.Store(0)
		e, times := keeping(t, s, row.keep), 0
		answer := func() *query.Encoded {
			t.Helper()
			p, err := e.Prepare(query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "x"}}, query.Request{Parameters: names("pages"), Preset: "yesterday"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, meter := store.WithMeter(t.Context())
			found, err := p.RunEncoded(ctx)
			if err != nil || len(found.Failures) > 0 || meter.Rows() != 1 {
				t.Fatalf("%v, %+v, %d rows", err, found, meter.Rows())
			}
			for i, coding := range []string{"gzip", "zstd"} {
				body := found.Compressed(coding, func(b []byte) []byte {
					times++
					return bytes.Clone(b[i : i+1])
				})
				if body[0] != found.JSON[i] {
					t.Errorf("%s: %s", coding, body)
				}
			}
			return found
		}
		first := answer()
		text := string(first.JSON)
		first.Release()
		if again := string(answer().JSON); again != text {
			t.Errorf("%s, and again %s", text, again)
		}
		s.version.Add(1)
		if later := string(answer().JSON); later == text {
			t.Errorf("after a write it is the same: %s", later)
		}
		answer()
		if s.asked.Load() != row.asked || times != row.times {
			t.Errorf("keeping %d bytes: %d statements, compressed %d times", row.keep, s.asked.Load(), times)
		}
	}
}
