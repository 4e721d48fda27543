package meta

import (
	"bytes"
	"context"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// TestManyKeys fills a database with SIGHTLINE_KEYS keys, and measures look-ups of random and of unknown keys. By
// default it uses few keys, and only checks the answers.
func TestManyKeys(t *testing.T) {
	many := 200
	if text := os.Getenv("SIGHTLINE_KEYS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("SIGHTLINE_KEYS must be a whole number of at least 1, not %q", text)
		}
		many = n
	}
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		began := time.Now()
		digests := fillKeys(t, s, many)
		t.Logf("%d keys written in %v", many, time.Since(began).Round(time.Millisecond))
		if cfg.DSN != "" { // as autovacuum would
			raw(t, cfg, "VACUUM ANALYZE api_keys")
		}
		r := rand.New(rand.NewPCG(7, 7))
		lookups := min(many, 20_000)
		known := func() (auth.Digest, bool) { return digests[r.IntN(len(digests))], true }
		unknown := func() (auth.Digest, bool) { return randomDigest(r), false }
		measure(t, s, "the first look-ups", min(lookups, 1000), known)
		measure(t, s, "look-ups of keys", lookups, known)
		measure(t, s, "look-ups of unknown keys", lookups, unknown)
	})
}

func randomDigest(r *rand.Rand) (d auth.Digest) {
	for i := range d {
		d[i] = byte(r.Uint32())
	}
	return d
}

// fillKeys stores keys of 256 owners, and returns their digests. It stores them in the order of their digests,
// because in random order SQLite would need half an hour for a million.
func fillKeys(t *testing.T, s *Store, n int) []auth.Digest {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	digests := make([]auth.Digest, n)
	for i := range digests {
		digests[i] = randomDigest(r)
	}
	slices.SortFunc(digests, func(a, b auth.Digest) int { return bytes.Compare(a[:], b[:]) })
	const transaction, statement = 5000, 50 // numbers of keys
	for lot := range slices.Chunk(digests, transaction) {
		err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
			for few := range slices.Chunk(lot, statement) {
				if err := writeKeys(ctx, s, db, few); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return digests
}

// idOf returns the id of the key that fillKeys creates for a digest.
func idOf(d auth.Digest) string { return "key_" + hex.EncodeToString(d[20:30]) }

func writeKeys(ctx context.Context, s *Store, db querier, digests []auth.Digest) error {
	var rows []keyRow
	for _, d := range digests {
		rows = append(rows, keyRow{digest: hex.EncodeToString(d[:]), Key: auth.Key{
			ID: idOf(d), Owner: "owner-" + hex.EncodeToString(d[:1]), Name: "Key",
			Prefix: "sl", Start: "sl_abcde", Scopes: []auth.Scope{auth.ReadData}, CreatedAt: noon,
			Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "w1"}},
		}})
	}
	_, err := change(ctx, db, keys.insert(s, rows...))
	return err
}

func measure(t *testing.T, s *Store, what string, n int, next func() (auth.Digest, bool)) {
	t.Helper()
	took := make([]time.Duration, n)
	for i := range took {
		d, known := next()
		began := time.Now()
		k, err := s.KeyByDigest(t.Context(), d)
		took[i] = time.Since(began)
		if (err == nil) != known || known && k.Owner == "" {
			t.Fatalf("%s: %+v, %v", what, k, err)
		}
	}
	slices.Sort(took)
	t.Logf("%s: p50 %v, p99 %v, of %d", what, took[n/2], took[n*99/100], n)
}

func BenchmarkKeyByDigest(b *testing.B) {
	s := mustOpen(b, config(b))
	_, secret, err := s.CreateKey(b.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err != nil {
		b.Fatal(err)
	}
	d := secret.Digest(pepper)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.KeyByDigest(b.Context(), d); err != nil {
			b.Fatal(err)
		}
	}
}
