package authtest_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/store"
)

const flawVariable = "AUTHTEST_FLAW"

var pepper, _ = auth.NewPepper([]byte("a pepper for stores with a flaw"))

// flaws maps each planted mistake to the test and the case that must detect it.
var flaws = map[string]struct{ test, caught string }{
	"forgets the filters":         {"TestFlawedKeys", "round trip"},
	"calls every trouble unknown": {"TestFlawedKeys", "cancelled"},
	"gives no grace":              {"TestFlawedKeys", "rotation with grace"},
	"ends older secrets":          {"TestFlawedKeys", "rotated twice"},
	"never ends the oldest":       {"TestFlawedKeys", "many rotations"},
	"ignores a leak":              {"TestFlawedKeys", "rotated after a leak"},
	"remembers what it found":     {"TestFlawedKeys", "change seen at once"},
	"hands out lost secrets":      {"TestFlawedKeys", "rotations at once"},
	"lists backwards":             {"TestFlawedDirectory", "list"},
	"rotates before it asks":      {"TestFlawedKeys", "refused rotations"},
	"takes any case of an id":     {"TestFlawedDirectory", "one website"},
	"appends twice":               {"TestFlawedLog", "an append is not done twice"},
	"takes any record":            {"TestFlawedLog", "records must continue the chain"},
	"prunes everything":           {"TestFlawedLog", "prune points"},
	"finds the oldest first":      {"TestFlawedLog", "queries"},
}

// flawed reports whether the environment selects this flaw. Only TestSuiteCatches selects flaws; without a flaw
// the suites must pass.
func flawed(name string) bool { return os.Getenv(flawVariable) == name }

// TestSuiteCatches runs the tests below in separate processes, since they must fail.
func TestSuiteCatches(t *testing.T) {
	for name, f := range flaws {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe, err := os.Executable()
			if err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			caught := strings.ReplaceAll(f.caught, " ", "_")
			cmd := exec.CommandContext(ctx, exe, "-test.run=^"+f.test+"$/^"+caught+"$", "-test.v")
			cmd.Env = append(os.Environ(), flawVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if _, failed := errors.AsType[*exec.ExitError](err); !failed {
				t.Fatalf("the suite did not detect the flaw %q: %v", name, err)
			}
			where := "--- FAIL: " + f.test + "/" + caught
			if !strings.Contains(string(out), where) || !strings.Contains(string(out), "the rule: ") {
				t.Errorf("the output lacks %q:\n%s", where, out)
			}
		})
	}
}

// keys is a key store with the selected flaw.
type keys struct {
	*auth.Memory
	found sync.Map
}

func (k *keys) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	if old, ok := k.found.Load(d); ok && flawed("remembers what it found") {
		key, _ := old.(auth.Key)
		key = key.Clone()
		return &key, nil
	}
	key, err := k.Memory.KeyByDigest(ctx, d)
	if old, ok := k.found.Load(d); ok && errors.Is(err, auth.ErrNotFound) &&
		(flawed("never ends the oldest") || flawed("ignores a leak")) {
		found, _ := old.(auth.Key)
		return &found, nil
	}
	if err != nil {
		if flawed("calls every trouble unknown") {
			err = auth.ErrNotFound
		}
		return nil, err
	}
	k.found.Store(d, key.Clone())
	if flawed("forgets the filters") {
		key.Filters = nil
	}
	return key, nil
}

func (k *keys) rotate(ctx context.Context, id string, grace time.Duration, allow auth.Allow) (auth.Key, auth.Secret,
	error) {
	if flawed("gives no grace") {
		grace = min(grace, 0)
	}
	if flawed("ends older secrets") {
		_, _, _ = k.RotateKey(ctx, id, 0, nil)
	}
	if flawed("rotates before it asks") {
		allow = nil
	}
	key, secret, err := k.RotateKey(ctx, id, grace, allow)
	if err == nil && flawed("hands out lost secrets") {
		secret, err = auth.NewSecret(nil, "")
	}
	return key, secret, err
}

func TestFlawedKeys(t *testing.T) {
	authtest.Run(t, authtest.Harness{Pepper: pepper, Open: func(t *testing.T, now func() time.Time) authtest.Store {
		memory, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: now}})
		if err != nil {
			t.Fatal(err)
		}
		m := &keys{Memory: memory}
		return authtest.Store{
			KeyStore:    m,
			Create:      m.CreateKey,
			Rotate:      m.rotate,
			Revoke:      m.RevokeKey,
			SetDisabled: m.SetKeyDisabled,
			Change:      m.ChangeKey,
			Used: func(_ context.Context, id string, at time.Time) error {
				m.KeyUsed(id, at)
				return nil
			},
			Key: m.Key,
		}
	}})
}

// directory is a directory with the selected flaw.
type directory struct{ store.MemoryDirectory }

func (d *directory) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	all, err := d.MemoryDirectory.Websites(ctx, owner)
	if flawed("lists backwards") {
		slices.Reverse(all)
	}
	return all, err
}

func (d *directory) Website(ctx context.Context, id string) (store.Website, error) {
	if flawed("takes any case of an id") {
		id = strings.ToLower(id)
	}
	return d.MemoryDirectory.Website(ctx, id)
}

func TestFlawedDirectory(t *testing.T) {
	authtest.RunDirectory(t, func(*testing.T) authtest.Directory {
		d := &directory{}
		return authtest.Directory{
			Directory:  d,
			AddWebsite: func(_ context.Context, w store.Website) error { return d.AddWebsite(w) },
			AddSubject: func(_ context.Context, s store.Subject, owner string) error { return d.AddSubject(s, owner) },
		}
	})
}

// sites is a directory of websites alone. An owner without websites has a nil list.
type sites struct{ store.MemoryDirectory }

func (s *sites) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	all, err := s.MemoryDirectory.Websites(ctx, owner)
	return append([]store.Website(nil), all...), err
}

func TestDirectoryOfWebsites(t *testing.T) {
	authtest.RunDirectory(t, func(*testing.T) authtest.Directory {
		d := &sites{}
		return authtest.Directory{Directory: d,
			AddWebsite: func(_ context.Context, w store.Website) error { return d.AddWebsite(w) }}
	})
}

// log is an audit log with the selected flaw.
type log struct {
	audit.Memory
	again []audit.Record
}

func (l *log) Append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	err := l.Memory.Append(ctx, head, records)
	if err == nil && flawed("appends twice") {
		l.again = append(l.again, records...)
	}
	if errors.Is(err, audit.ErrConflict) && flawed("takes any record") {
		return nil
	}
	return err
}

func (l *log) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for r, err := range l.Memory.Scan(ctx) {
			if !yield(r, err) || err != nil {
				return
			}
		}
		for _, r := range l.again {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (l *log) Prune(ctx context.Context, points []audit.Checkpoint) error {
	if flawed("prunes everything") {
		for i := range points {
			points[i].Seq = 4
		}
	}
	return l.Memory.Prune(ctx, points)
}

func (l *log) Find(ctx context.Context, q audit.Query) (audit.Page, error) {
	p, err := l.Memory.Find(ctx, q)
	if flawed("finds the oldest first") {
		slices.Reverse(p.Records)
	}
	return p, err
}

func TestFlawedLog(t *testing.T) {
	authtest.RunLog(t, func(*testing.T) authtest.LogBench { return authtest.LogBench{Log: &log{}} })
}
