package meta

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// create creates a record of any kind. It returns the stored record and its id.
func create(ctx context.Context, s *Store, record any) (stored any, id string, err error) {
	switch r := record.(type) {
	case Owner:
		r, err = s.CreateOwner(ctx, r)
		return r, r.ID, err
	case store.Website:
		r, err = s.CreateWebsite(ctx, r)
		return r, r.ID, err
	case Link:
		r, err = s.CreateLink(ctx, r)
		return r, r.ID, err
	case Monitor:
		r, err = s.CreateMonitor(ctx, r)
		return r, r.ID, err
	case auth.Key:
		var secret auth.Secret
		r, secret, err = s.CreateKey(ctx, r)
		if (secret.Reveal() != "") != (err == nil) {
			err = fmt.Errorf("the secret has %d characters, the error is %w", len(secret.Reveal()), err)
		}
		return r, r.ID, err
	}
	return nil, "", fmt.Errorf("%T is not a record", record)
}

type validCase struct {
	says         string
	record, want any // nil wants the record unchanged
}

// validRecords returns records that can be stored, in this order.
func validRecords() []validCase {
	later := noonStored.Add(time.Hour)
	return []validCase{
		{"an owner", Owner{ID: "b", Name: ` B "ü" 🙂 `}, Owner{"b", `B "ü" 🙂`, noonStored}},
		{"an owner without name", Owner{ID: "a", CreatedAt: noon.Add(time.Hour)}, Owner{"a", "a", later}},
		{"a website", store.Website{ID: "w", Owner: "acme", Domain: "HTTPS://A.example/x"},
			store.Website{ID: "w", Owner: "acme", Name: "a.example", Domain: "a.example", CreatedAt: noonStored}},
		{"another website with the same domain",
			store.Website{ID: "B", Owner: "acme", Name: "B's", Domain: "a.example", IsPublic: true,
				CreatedAt: noonStored}, nil},
		{"a website with an earlier CreatedAt",
			store.Website{ID: "z", Owner: "acme", Name: "z", Domain: "z", CreatedAt: noonStored.Add(-time.Hour)}, nil},
		{"a link", Link{ID: "l", Owner: "acme", Slug: "go", TargetURL: "https://a.example"},
			Link{ID: "l", Owner: "acme", Slug: "go", TargetURL: "https://a.example", Name: "go",
				CreatedAt: noonStored}},
		{"a link without slug", Link{ID: "k", Owner: "acme", TargetURL: "https://b.example"},
			Link{ID: "k", Owner: "acme", TargetURL: "https://b.example", Name: "https://b.example",
				CreatedAt: noonStored}},
		{"another link without slug",
			Link{ID: "a", Owner: "acme", TargetURL: "https://b.example", Name: "A", CreatedAt: later}, nil},
		{"a link of another owner with the same slug",
			Link{ID: "t", Owner: "other", Slug: "go", TargetURL: "https://b.example", Name: "T", CreatedAt: noonStored},
			nil},
		{"a monitor without website", Monitor{ID: "m", Owner: "acme", URL: "tcp://a.example:25"},
			Monitor{ID: "m", Owner: "acme", Name: "tcp://a.example:25", URL: "tcp://a.example:25",
				CreatedAt: noonStored}},
		{"a monitor of a website",
			Monitor{ID: "M", Owner: "acme", Name: "M", URL: "https://a.example", WebsiteID: "w", CreatedAt: noonStored},
			nil},
	}
}

type invalidCase struct {
	says   string
	record any
	want   error
	names  string // words that the error must contain
}

// invalidRecords returns records that cannot be stored after validRecords.
func invalidRecords() []invalidCase {
	long := strings.Repeat("x", 256)
	return []invalidCase{
		{"an owner with a taken id", Owner{ID: "b"}, ErrExists, ""},
		{"an owner with the id of a website", Owner{ID: "w"}, ErrClientID, "w"},
		{"a website with the id of an owner", store.Website{ID: "other", Owner: "acme", Domain: "b.example"},
			ErrClientID, "other"},
		{"an id with a space", Owner{ID: "a b"}, store.ErrInvalid, "id"},
		{"an id like a path", Owner{ID: "a/b"}, store.ErrInvalid, "id any of"},
		{"a website whose id is a folder", store.Website{ID: "..", Owner: "acme", Domain: "b.example"},
			store.ErrInvalid, "id dots"},
		{"a link whose id is written backwards", Link{ID: "\u202elink", Owner: "acme", TargetURL: "https://b.example"},
			store.ErrInvalid, "id direction"},
		{"a monitor with an invisible character", Monitor{ID: "m\u200b", Owner: "acme", URL: "https://a.example"},
			store.ErrInvalid, "id invisible"},
		{"a website with a misleading name", store.Website{Owner: "acme", Domain: "b.example", Name: "a\u202eb"},
			store.ErrInvalid, "name direction"},
		{"a name with two lines", Owner{ID: "c", Name: "a\nb"}, store.ErrInvalid, "name"},
		{"an id that is too long", Owner{ID: long}, store.ErrInvalid, "id"},
		{"a website with a taken id, for another owner", store.Website{ID: "w", Owner: "other", Domain: "b.example"},
			ErrExists, ""},
		{"a website with several faults", store.Website{ID: "a b", Name: "x\x00"}, store.ErrInvalid,
			"id owner domain name"},
		{"a link with a taken id", Link{ID: "l", Owner: "other", TargetURL: "https://b.example"}, ErrExists, ""},
		{"a link with a taken slug", Link{Owner: "acme", Slug: "go", TargetURL: "https://b.example"}, ErrExists, ""},
		{"a link with a javascript address", Link{Owner: "acme", TargetURL: "javascript://x/%0aalert(1)"},
			store.ErrInvalid, "target"},
		{"a link with a relative address", Link{Owner: "acme", TargetURL: "example.com/x"}, store.ErrInvalid, "target"},
		{"a slug that is too long", Link{Owner: "acme", TargetURL: "https://a.example", Slug: long}, store.ErrInvalid,
			"slug"},
		{"a monitor with several faults", Monitor{Owner: "acme", Name: "m\xff", WebsiteID: "w\x00"}, store.ErrInvalid,
			"url name website"},
		{"a monitor of an unknown website", Monitor{Owner: "acme", URL: "https://a.example", WebsiteID: "none"},
			store.ErrNotFound, ""},
		{"a monitor of another owner's website", Monitor{Owner: "other", URL: "https://a.example", WebsiteID: "w"},
			store.ErrNotFound, ""},
		{"a website of an unknown owner", store.Website{Owner: "nobody", Domain: "a.example"}, ErrNoOwner, "nobody"},
		{"a link of an unknown owner", Link{Owner: "nobody", TargetURL: "https://a.example"}, ErrNoOwner, "nobody"},
		{"a monitor of an unknown owner", Monitor{Owner: "nobody", URL: "https://a.example"}, ErrNoOwner, "nobody"},
		{"a key of an unknown owner", auth.Key{Owner: "nobody", All: true}, ErrNoOwner, "nobody"},
	}
}

// contents holds the lists of a store for one owner.
type contents struct {
	Owners   []Owner
	Websites []store.Website
	Links    []Link
	Monitors []Monitor
	Keys     []auth.Key
}

func contentsOf(t *testing.T, s *Store, owner string) (c contents) {
	t.Helper()
	var errs [5]error
	c.Owners, errs[0] = s.Owners(t.Context())
	c.Websites, errs[1] = s.Websites(t.Context(), owner)
	c.Links, errs[2] = s.Links(t.Context(), owner)
	c.Monitors, errs[3] = s.Monitors(t.Context(), owner)
	c.Keys, errs[4] = s.Keys(t.Context(), owner)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return c
}

// picked returns the records with ids, in this order.
func picked[T any](stored map[string]any, ids string) (list []T) {
	for id := range strings.FieldsSeq(ids) {
		one, _ := stored[fmt.Sprintf("%T %s", *new(T), id)].(T)
		list = append(list, one)
	}
	return list
}

// TestRecords checks that lists have all stored records and no invalid ones, by creation time, then id by bytes,
// also after a restart.
func TestRecords(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		stored := map[string]any{}
		for _, id := range []string{"acme", "other"} {
			stored["meta.Owner "+id] = Owner{id, id, noonStored}
		}
		for _, c := range validRecords() {
			got, id, err := create(t.Context(), s, c.record)
			if c.want == nil {
				c.want = c.record
			}
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", c.says, err, diff)
			}
			stored[fmt.Sprintf("%T %s", got, id)] = got
		}
		for _, k := range []auth.Key{{ID: "l", Owner: "acme", CreatedAt: noon.Add(time.Hour)},
			{ID: "z", Owner: "acme", Disabled: true},
			{ID: "a", Owner: "acme", Revoked: noon}, {ID: "t", Owner: "other"}} {
			got, id, err := create(t.Context(), s, k)
			if err != nil {
				t.Error(err)
			}
			stored["auth.Key "+id] = got
		}
		for _, c := range invalidRecords() {
			_, _, err := create(t.Context(), s, c.record)
			if !errors.Is(err, c.want) || errors.Is(err, ErrNoOwner) && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", c.says, err)
				continue
			}
			for name := range strings.FieldsSeq(c.names) {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%s: the error does not contain %s: %v", c.says, name, err)
				}
			}
		}
		want := contents{
			picked[Owner](stored, "acme b other a"), picked[store.Website](stored, "z B w"),
			picked[Link](stored, "k l a"),
			picked[Monitor](stored, "M m"), picked[auth.Key](stored, "a z l"),
		}
		if diff := cmp.Diff(want, contentsOf(t, s, "acme")); diff != "" {
			t.Errorf("the lists (-want +got):\n%s", diff)
		}
		none := contents{want.Owners, []store.Website{}, []Link{}, []Monitor{}, []auth.Key{}}
		if diff := cmp.Diff(none, contentsOf(t, s, "nobody")); diff != "" {
			t.Errorf("the lists of an unknown owner (-want +got):\n%s", diff)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, cfg)
		if diff := cmp.Diff(want, contentsOf(t, s, "acme")); diff != "" {
			t.Errorf("the lists after a restart (-want +got):\n%s", diff)
		}
		for _, k := range want.Keys {
			got, err := s.Key(t.Context(), k.ID)
			if diff := cmp.Diff(k, got); diff != "" || err != nil {
				t.Errorf("Key(%s): %v (-listed +got):\n%s", k.ID, err, diff)
			}
		}
	})
}

// TestIDsAreGenerated creates records without ids.
func TestIDsAreGenerated(t *testing.T) {
	s := mustOpen(t, config(t))
	for begins, record := range map[string]any{
		"org_": Owner{}, "web_": store.Website{Owner: "acme", Domain: "a.example"},
		"lnk_": Link{Owner: "acme", TargetURL: "https://a.example"},
		"mon_": Monitor{Owner: "acme", URL: "https://a.example"}, "key_": auth.Key{Owner: "acme"},
	} {
		_, one, err1 := create(t.Context(), s, record)
		_, other, err2 := create(t.Context(), s, record)
		if err := errors.Join(err1, err2); err != nil || !strings.HasPrefix(one, begins) || one == other {
			t.Errorf("%T: %q and %q, %v", record, one, other, err)
		}
	}
}

func TestOwnerByID(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		want, err := s.CreateOwner(t.Context(), Owner{ID: "b", Name: "B"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.OwnerByID(t.Context(), "b"); err != nil || got != want {
			t.Errorf("OwnerByID = %+v, %v", got, err)
		}
		if got, err := s.EnsureOwner(t.Context(), Owner{ID: "b", Name: "another"}); err != nil || got != want {
			t.Errorf("EnsureOwner of a known id = %+v, %v", got, err)
		}
		for _, id := range []string{"", "none", "B", "nul\x00"} {
			if got, err := s.OwnerByID(t.Context(), id); !errors.Is(err, store.ErrNotFound) || got != (Owner{}) {
				t.Errorf("OwnerByID(%q) = %+v, %v", id, got, err)
			}
		}
		if _, err := s.EnsureOwner(t.Context(), Owner{Name: "x"}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("EnsureOwner without id: %v", err)
		}
	})
}

func TestConcurrentEnsureOwner(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		stores := [2]*Store{mustOpen(t, cfg), mustOpen(t, cfg)}
		const together = 8
		var wg sync.WaitGroup
		var errs [together]error
		for i := range together {
			wg.Go(func() { _, errs[i] = stores[i%2].EnsureOwner(t.Context(), Owner{ID: "fresh"}) })
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
	})
}
