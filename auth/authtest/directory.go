package authtest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A Directory is the store.Directory that RunDirectory tests, with functions to add records and their
// owners.
type Directory struct {
	store.Directory // required

	// AddWebsite stores w unchanged. Required.
	AddWebsite func(ctx context.Context, w store.Website) error
	// AddSubject stores a link or a monitor of an owner. Nil means that the directory has only websites; then
	// nothing is tested about links and monitors but that none exist.
	AddSubject func(ctx context.Context, s store.Subject, owner string) error
}

// RunDirectory tests a directory. open returns an empty one, and closes it with t.Cleanup. open is called once:
// all cases share the directory, and each uses its own ids and owner.
func RunDirectory(t *testing.T, open func(t *testing.T) Directory) {
	shared := open(t)
	for n, c := range []struct {
		name string
		why  string
		run  func(*register)
	}{
		{"list", "an owner's websites are ordered by creation time, then by the bytes of the id, and every field is returned as stored", list},
		{"nobody", "an owner without websites gets an empty or nil list, not an error", nobody},
		{"one website", "a website is found by its exact id, regardless of the owner", oneWebsite},
		{"owners", "one id may be used by a website, a link and a monitor of three owners", owners},
		{"strange ids", "an impossible id is not found, which is not a failure", strangeIDs},
		{"cancelled", "a directory that fails to look must not report that nothing exists", cancelledDirectory},
		{"concurrency", "a directory is safe for concurrent use", concurrentDirectory},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(&register{shared, t, c.why, fmt.Sprint("acme-", n)}) })
	}
}

// register runs a case on the directory.
type register struct {
	Directory
	t     *testing.T
	why   string
	owner string // only used by this case
}

func (r *register) failf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf(format, args...)
	r.t.Fatalf("the rule: %s", r.why)
}

func (r *register) add(sites ...store.Website) {
	r.t.Helper()
	for _, w := range sites {
		if err := r.AddWebsite(r.t.Context(), w); err != nil {
			r.failf("AddWebsite: %v", err)
		}
	}
}

func site(id, owner string, minute int) store.Website {
	return store.Website{
		ID: id, Owner: owner, Name: `Name "ü" 'x' \ %_ 🙂 ` + id, Domain: "a.example", IsPublic: minute%2 == 1,
		Rules:     rules(minute),
		CreatedAt: time.Date(2026, 3, 29, 0, minute, 0, 123_000_000, time.UTC),
	}
}

// rules returns one of four sets of rules, depending on the minute.
func rules(minute int) (r store.Rules) {
	if minute%2 == 1 {
		r.AllowedOrigins, r.KeyedEvents = []string{"*.b.example", "localhost"}, true
	}
	if minute%4 >= 2 {
		r.AllowedAddresses = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"),
			netip.MustParsePrefix("2001:db8::/32")}
		r.BlockedAddresses, r.Paused = []netip.Prefix{netip.MustParsePrefix("203.0.113.7/32")}, true
	}
	return r
}

func list(r *register) {
	want := []store.Website{
		site("z", r.owner, 1), site("B", r.owner, 2), site("a", r.owner, 2), site("ä", r.owner, 2),
		site("A", r.owner, 3),
	}
	for _, i := range []int{4, 2, 0, 3, 1} {
		r.add(want[i])
	}
	r.add(site("theirs", "other", 0))
	for range 2 {
		got, err := r.Websites(r.t.Context(), r.owner)
		if err != nil || len(got) != len(want) {
			r.failf("Websites = %+v, %v", got, err)
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				r.failf("at %d: %+v\nwant: %+v", i, got[i], want[i])
			}
		}
		got[0], got[1] = got[1], got[0] // a caller may change the returned list
	}
}

func nobody(r *register) {
	r.add(site("n", r.owner, 0))
	for _, owner := range []string{"", "nobody", strings.ToUpper(r.owner), "acm%", "a' OR '1'='1", "nul\x00", "\xff"} {
		if got, err := r.Websites(r.t.Context(), owner); err != nil || len(got) != 0 {
			r.failf("websites of %q: %v, %v; want none and no error", owner, got, err)
		}
	}
}

func oneWebsite(r *register) {
	sites := []store.Website{site("one", r.owner, 1), site("ONE", "other", 2)}
	r.add(sites...)
	for _, want := range sites {
		if got, err := r.Website(r.t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
			r.failf("Website = %+v, %v; want %+v", got, err, want)
		}
	}
}

func owners(r *register) {
	ctx := r.t.Context()
	r.add(site("same", "of-website", 0))
	want := map[store.SubjectKind]string{
		store.KindWebsite: "of-website", store.KindLink: "of-link", store.KindSchedule: "of-schedule",
	}
	for _, kind := range []store.SubjectKind{store.KindLink, store.KindSchedule} {
		if _, err := r.Owner(ctx, store.Subject{Kind: kind, ID: "same"}); !errors.Is(err, store.ErrNotFound) {
			r.failf("the website was found as a %s, too: %v", kind, err)
		}
		if r.AddSubject == nil {
			delete(want, kind)
			continue
		}
		if err := r.AddSubject(ctx, store.Subject{Kind: kind, ID: "same"}, want[kind]); err != nil {
			r.failf("AddSubject: %v", err)
		}
	}
	for kind, owner := range want {
		if got, err := r.Owner(ctx, store.Subject{Kind: kind, ID: "same"}); err != nil || got != owner {
			r.failf("owner of the %s: %q, %v", kind, got, err)
		}
	}
	if got, err := r.Owner(ctx, store.Subject{Kind: "websites", ID: "same"}); !errors.Is(err, store.ErrNotFound) ||
		got != "" {
		r.failf("owner of an unknown kind: %q, %v", got, err)
	}
}

func strangeIDs(r *register) {
	r.add(site("w", r.owner, 0))
	for _, id := range []string{"", " w", "w ", "w%", "_", "w' OR '1'='1", "w\x00", "\x00", "\xff\xfe",
		strings.Repeat("w", 1<<20)} {
		if got, err := r.Website(r.t.Context(), id); !errors.Is(err, store.ErrNotFound) ||
			!reflect.DeepEqual(got, store.Website{}) {
			r.failf("Website(%.20q) = %+v, %v", id, got, err)
		}
		for _, kind := range []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule} {
			if got, err := r.Owner(r.t.Context(), store.Subject{Kind: kind, ID: id}); !errors.Is(err,
				store.ErrNotFound) || got != "" {
				r.failf("owner of the %s %.20q = %q, %v", kind, id, got, err)
			}
		}
	}
}

func cancelledDirectory(r *register) {
	r.add(site("c", r.owner, 0))
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	_, err1 := r.Website(ctx, "c")
	_, err2 := r.Websites(ctx, r.owner)
	_, err3 := r.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: "c"})
	for what, err := range map[string]error{"Website": err1, "Websites": err2, "Owner": err3} {
		if err == nil || errors.Is(err, store.ErrNotFound) {
			r.failf("%s with a cancelled context: %v", what, err)
		}
	}
}

func concurrentDirectory(r *register) {
	const workers, each = 8, 4
	r.add(site("first", r.owner, 0))
	var wg sync.WaitGroup
	faults := make(chan error, workers*each)
	for w := range workers {
		wg.Go(func() {
			for n := range each {
				s := site(fmt.Sprintf("w%d-%d", w, n), r.owner, n)
				if err := r.AddWebsite(r.t.Context(), s); err != nil {
					faults <- err
					continue
				}
				if got, err := r.Website(r.t.Context(), s.ID); err != nil || !reflect.DeepEqual(got, s) {
					faults <- fmt.Errorf("found %+v, %w", got, err)
				}
			}
		})
	}
	wg.Wait()
	close(faults)
	for err := range faults {
		r.t.Error(err)
	}
	if got, err := r.Websites(r.t.Context(), r.owner); err != nil || len(got) != workers*each+1 {
		r.failf("%d websites, %v; want %d", len(got), err, workers*each+1)
	}
}
