package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store"
)

// notifications counts the notifications of a store.
type notifications struct{ atomic.Int64 }

func (n *notifications) KeyChanged(context.Context, string) { n.Add(1) }

// TestRotationInDoubt breaks the connection at the commit of a rotation. Whether the rotation was stored or not,
// the secret in use stays valid for the grace period.
func TestRotationInDoubt(t *testing.T) {
	s, p := throughProxy(t)
	for f, stored := range map[fate]bool{unsent: false, unanswered: true} {
		k, old, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		var notified notifications
		s.Notify(&notified)
		p.next(f)
		_, fresh, err := s.RotateKey(t.Context(), k.ID, time.Hour, nil)
		if errors.Is(err, ErrInDoubt) == stored || errors.Is(err, store.ErrUnavailable) == stored ||
			(err == nil) != stored {
			t.Errorf("stored: %t; RotateKey: %v", stored, err)
		}
		if notified.Load() != 1 {
			t.Errorf("stored: %t; %d notifications, want 1", stored, notified.Load())
		}
		if err != nil { // the caller tries again
			if _, fresh, err = s.RotateKey(t.Context(), k.ID, time.Hour, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, secret := range []auth.Secret{old, fresh} {
			if _, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil {
				t.Errorf("stored: %t; a valid secret: %v", stored, err)
			}
		}
	}
}

// TestChangesInDoubt breaks the connection after the server received the commits of other changes, so the changes
// are stored.
func TestChangesInDoubt(t *testing.T) {
	s, p := throughProxy(t)
	p.next(unanswered)
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatalf("CreateKey of a stored key: %v", err)
	}
	if found, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil || found.ID != k.ID {
		t.Errorf("KeyByDigest of the key = %v, %v", found, err)
	}
	var notified notifications
	s.Notify(&notified)
	for says, c := range map[string]struct {
		change func() error
		again  error
	}{
		"revoke": {func() error { return s.RevokeKey(t.Context(), k.ID, nil) }, nil},
		"create": {func() error {
			_, err := s.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "acme", Domain: "a.example"})
			return err
		}, ErrExists},
	} {
		p.next(unanswered)
		if err := c.change(); !errors.Is(err, ErrInDoubt) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s with an unknown outcome: %v", says, err)
		}
		if err := c.change(); !errors.Is(err, c.again) || errors.Is(err, ErrInDoubt) {
			t.Errorf("%s again: %v; want %v", says, err, c.again)
		}
	}
	if notified.Load() != 2 {
		t.Errorf("%d notifications of a revocation in doubt and its repetition, want 2", notified.Load())
	}
}

// TestAuditInDoubt commits an entry while the writer appends it again. The entry must be in the trail once, and
// the chain must continue. It also tests this with the first entry of a chain.
func TestAuditInDoubt(t *testing.T) {
	s, p := throughProxy(t)
	entries, chains := 0, 0
	for n := range 6 {
		f, before := []fate{unsent, unanswered, late}[n%3], n/3
		t.Run(fmt.Sprint(f, " after ", before), func(t *testing.T) {
			w, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper,
				Options: audit.Options{Every: time.Hour}})
			if err != nil {
				t.Fatal(err)
			}
			flush := func(i int) error {
				if err := w.Record(t.Context(), use1(i)); err != nil {
					t.Fatal(err)
				}
				return w.Flush(t.Context())
			}
			if before > 0 {
				if err := flush(1); err != nil {
					t.Fatal(err)
				}
			}
			p.next(f)
			if err := flush(2); !errors.Is(err, ErrInDoubt) {
				t.Fatalf("a flush with an unknown outcome: %v", err)
			}
			if f == late {
				go func() {
					awaitLock(s.read)
					close(p.release)
				}()
			}
			if err := w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			entries, chains = entries+before+1, chains+1
			r, err := audit.Verify(t.Context(), s.Audit(), pepper)
			if err != nil || r.Err() != nil || r.Entries != int64(entries) || len(r.Chains) != chains {
				t.Errorf("the trail has %d entries in %d chains, %v, %v; want %d in %d", r.Entries, len(r.Chains),
					r.Err(), err, entries, chains)
			}
		})
	}
}

// awaitLock returns when a transaction waits for a chain that another transaction has locked.
func awaitLock(db *sql.DB) {
	const waiting = "SELECT pid::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%audit_chains%'"
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if found, err := texts(context.Background(), db, waiting); err != nil || len(found) > 0 {
			return
		}
	}
}

// TestSaltsInDoubt breaks the connection at one of the two commits of a day's first salt. The next call must
// return a salt, and the old salts must be destroyed.
func TestSaltsInDoubt(t *testing.T) {
	cfg, today := configPostgres(t), noon
	shown := newClock(today)
	cfg.Now = shown.now
	s, p := throughProxyWithin(t, cfg, time.Minute)
	for says, fates := range map[string][]fate{
		"the first is not sent":      {unsent},
		"the second is not sent":     {delivered, unsent},
		"the first is not answered":  {unanswered},
		"the second is not answered": {delivered, unanswered},
	} {
		if _, err := s.Salt(t.Context(), today); err != nil {
			t.Fatal(err)
		}
		today = today.Add(2 * day)
		shown.set(today)
		p.next(fates...)
		if _, err := s.Salt(t.Context(), today); !errors.Is(err, ErrInDoubt) {
			t.Fatalf("%s: %v", says, err)
		}
		if _, err := s.Salt(t.Context(), today); err != nil {
			t.Errorf("%s: the next call: %v", says, err)
		}
		if left, err := texts(t.Context(), s.read, "SELECT day::text FROM salts"); err != nil || len(left) != 1 {
			t.Errorf("%s: the table has salts of the days %v, %v; want only today", says, left, err)
		}
	}
}
