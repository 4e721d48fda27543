package meta

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

func TestOlderFileIsMigrated(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		oldFile(t, cfg, "0001_directory.sql", "INSERT INTO websites VALUES ('w', 'acme', 'A', 'a.example', TRUE, 1)")
		var log bytes.Buffer
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s := mustOpen(t, cfg)
		if where := "at=" + langOf(cfg).name(cfg) + " version=2\n"; !strings.Contains(log.String(), where) {
			t.Errorf("the log does not contain %q:\n%s", where, log.String())
		}
		got, err := s.Website(t.Context(), "w")
		want := store.Website{ID: "w", Owner: "acme", Name: "A", Domain: "a.example", IsPublic: true, CreatedAt: instant(1)}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("the website is now %+v, %v", got, err)
		}
		if _, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true}); err != nil {
			t.Errorf("CreateKey, which the older program did not have: %v", err)
		}
	})
}

func TestOwnersOfOlderRecords(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		oldFile(t, cfg, "0001_directory.sql",
			`INSERT INTO websites VALUES ('w1', 'of-site', 'A', 'a.example', TRUE, 7), ('w2', 'of-site', 'A', 'a.example', TRUE, 5)`,
			`INSERT INTO links VALUES ('l', 'of-link', NULL, 'https://a.example', 'L', 3), ('l2', 'of-site', NULL, 'https://a.example', 'L', 9)`,
			`INSERT INTO monitors VALUES ('m', 'of-monitor', 'M', 'https://a.example', NULL, 4)`)
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := s.Owners(t.Context())
		want := []Owner{
			{"of-link", "of-link", instant(3)}, {"of-monitor", "of-monitor", instant(4)}, {"of-site", "of-site", instant(5)},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("owners of older records (-want +got):\n%s%v", diff, err)
		}
		if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "of-link", Domain: "a.example"}); err != nil {
			t.Errorf("another website: %v", err)
		}
	})
}

// TestOlderAuditTrailIsVerified opens a trail that a program with version 6 wrote, with a list of chains. Two of
// its eight entries are pruned.
func TestOlderAuditTrailIsVerified(t *testing.T) {
	text, err := os.ReadFile("testdata/audit_0006.sql")
	if err != nil {
		t.Fatal(err)
	}
	onEach(t, func(t *testing.T, cfg Config) {
		oldFile(t, cfg, "0006_last_used.sql", strings.Split(strings.TrimSpace(string(text)), ";\n")...)
		s := mustOpen(t, cfg)
		w := mustAudit(t, s)
		if err := errors.Join(w.Record(t.Context(), use1(1)), w.Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
		r, err := audit.Verify(t.Context(), s.Audit(), pepper)
		if err != nil || r.Err() != nil || r.Entries != 7 || len(r.Chains) != 3 || r.Chains[0].First != 3 {
			t.Errorf("%+v, %v", r, err)
		}
		p, err := audit.Prune(t.Context(), s.Audit(), pepper, time.Date(2026, 3, 4, 12, 0, 6, 0, time.UTC))
		if err != nil || p.Entries != 4 || len(p.Chains) != 1 {
			t.Errorf("pruned %+v, %v", p, err)
		}
	})
}

// oldFile creates the database of an older program, whose last migration is last, and runs statements on it.
func oldFile(t testing.TB, cfg Config, last string, statements ...string) {
	t.Helper()
	names, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	known := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name <= last {
			known[name] = &fstest.MapFile{Data: text}
		}
	}
	cfg.Wait, cfg.Timeout = 5*time.Second, 10*time.Second
	l := langOf(cfg)
	write, read, err := connect(l, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p, err := provider(l, write, known)
	if err == nil {
		_, err = p.Up(t.Context())
	}
	for _, statement := range statements {
		if err == nil {
			_, err = write.ExecContext(t.Context(), statement)
		}
	}
	if err := errors.Join(err, read.Close(), write.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		filled(t, cfg)
		files, ok := later(t).(fstest.MapFS)
		if !ok {
			t.Fatal("the migrations are not a MapFS")
		}
		files["9001_bad.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nDELETE FROM websites;\nSELECT nothing FROM nowhere;\n")}
		if s, err := open(t.Context(), cfg, files); err == nil {
			t.Errorf("open = %v with a bad migration", s)
		}
		delete(files, "9001_bad.sql")
		s, err := open(t.Context(), cfg, files)
		if err != nil {
			t.Fatal(err)
		}
		sites, err := s.Websites(t.Context(), "acme")
		if err := errors.Join(err, s.Close()); err != nil || len(sites) != 200 {
			t.Errorf("%d websites after a migration that failed, %v; want 200", len(sites), err)
		}
	})
}

func TestConcurrentOpen(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		const openers = 8
		var wg sync.WaitGroup
		var stores [openers]*Store
		var errs [openers]error
		for i := range openers {
			wg.Go(func() {
				if stores[i], errs[i] = Open(t.Context(), cfg); errs[i] != nil {
					return
				}
				if _, errs[i] = stores[i].EnsureOwner(t.Context(), Owner{ID: "acme"}); errs[i] == nil {
					_, errs[i] = stores[i].CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"})
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
		for _, s := range stores {
			if s == nil {
				continue
			}
			if sites, err := s.Websites(t.Context(), "acme"); err != nil || len(sites) != openers {
				t.Errorf("%d websites, %v; want %d", len(sites), err, openers)
			}
		}
		for _, s := range stores {
			if s != nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestOldSecretOfOlderRecordsStaysValid opens the database of a program that stored one old secret for each key,
// and rotates.
func TestOldSecretOfOlderRecordsStaysValid(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		now := time.UnixMilli(1_000_000)
		cfg.Now = func() time.Time { return now }
		current, old := mustSecret(t), mustSecret(t)
		hexOf := func(s auth.Secret) string { d := s.Digest(cfg.Pepper); return hex.EncodeToString(d[:]) }
		oldFile(t, cfg, "0012_profiles.sql",
			"INSERT INTO owners (id, name, created_at) VALUES ('acme', 'acme', 1)",
			`INSERT INTO api_keys (id, owner, name, prefix, start, scopes, all_resources, resources, filters, types, limits, created_at, disabled, digest, previous_digest, previous_until)
			VALUES ('k', 'acme', '', 'sl', '`+current.Start()+`', 'null', TRUE, 'null', 'null', 'null', 'null', 1, FALSE, '`+hexOf(current)+`', '`+hexOf(old)+`', 2000000),
			('k2', 'acme', '', 'sl', 'sl_12345', 'null', TRUE, 'null', 'null', 'null', 'null', 1, FALSE, '00', NULL, NULL)`)
		s := mustOpen(t, cfg)
		want := []auth.OldSecret{{Until: instant(2_000_000)}}
		for what, secret := range map[string]auth.Secret{"current": current, "old": old} {
			k, err := s.KeyByDigest(t.Context(), secret.Digest(cfg.Pepper))
			if err != nil || k.ID != "k" || !slices.Equal(k.Old, want) {
				t.Errorf("%s secret: %+v, %v", what, k, err)
			}
		}
		k, fresh, err := s.RotateKey(t.Context(), "k", time.Hour)
		if err != nil || len(k.Old) != 2 || k.Old[1] != want[0] || k.Old[0].Start != current.Start() {
			t.Errorf("rotated: %+v, %v", k, err)
		}
		now = time.UnixMilli(2_000_000)
		for _, secret := range []auth.Secret{current, fresh} {
			if _, err := s.KeyByDigest(t.Context(), secret.Digest(cfg.Pepper)); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.KeyByDigest(t.Context(), old.Digest(cfg.Pepper)); !errors.Is(err, auth.ErrNotFound) {
			t.Errorf("the old secret after its grace: %v", err)
		}
		if k, err := s.Key(t.Context(), "k2"); err != nil || k.Old != nil {
			t.Errorf("a key without an old secret: %+v, %v", k, err)
		}
	})
}

func mustSecret(t *testing.T) auth.Secret {
	t.Helper()
	s, err := auth.NewSecret(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFlagsOfOlderRecords opens sets of flags without a kind of client. The ids belong to a website, an owner,
// both or neither, in all relevant orders.
func TestFlagsOfOlderRecords(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		statements := []string{
			"INSERT INTO owners (id, name, created_at) VALUES ('org', 'o', 1), ('early', 'o', 1), ('late', 'o', 9), ('own', 'o', 1)",
			"INSERT INTO websites (id, owner, name, domain, is_public, created_at) VALUES ('site', 'org', 's', 's.example', FALSE, 5), " +
				"('early', 'org', 's', 's.example', FALSE, 5), ('late', 'org', 's', 's.example', FALSE, 5), ('own', 'own', 's', 's.example', FALSE, 5)",
		}
		for _, id := range []string{"org", "early", "late", "own", "site", "gone"} {
			statements = append(statements, "INSERT INTO flag_sets VALUES ('"+id+"', 7)",
				"INSERT INTO flag_definitions VALUES ('"+id+"', 'f1', '', 'k', '{\"id\":\"f1\",\"clientId\":\""+id+"\",\"key\":\"k\",\"revision\":2}')",
				"INSERT INTO flag_groups VALUES ('"+id+"', 'g1', '{\"id\":\"g1\"}')",
				"INSERT INTO flag_changes VALUES ('"+id+"', 'f1', 1, 3, 'created', 'key', 'k1', '', NULL, '{\"id\":\"f1\",\"revision\":1}')",
				"INSERT INTO flag_changes VALUES ('"+id+"', 'f1', 2, 4, 'updated', 'key', 'k1', '', '{\"id\":\"f1\",\"revision\":1}', '{\"id\":\"f1\",\"key\":\"k\",\"revision\":2}')")
		}
		oldFile(t, cfg, "0013_old_secrets.sql", statements...)
		s := mustOpen(t, cfg).Flags()
		for id, kind := range map[string]flags.Kind{"org": flags.Organization, "early": flags.Organization, "late": flags.Website,
			"own": flags.Website, "site": flags.Website, "gone": flags.Website} {
			for _, client := range []flags.Client{flags.OfWebsite(id), flags.OfOrganization(id)} {
				want := 0
				if client.Kind == kind {
					want = 1
				}
				set, err := s.Load(t.Context(), client)
				if err != nil || set.Revision != int64(7*want) || len(set.Flags) != want || len(set.Groups) != want || want == 1 && set.Flags[0].Client != client {
					t.Errorf("%s: %+v, %v", client, set, err)
				}
			}
		}
	})
}
