package meta

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestDirectory(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		for _, w := range []store.Website{
			{ID: "late", Owner: "acme", Domain: "late.example", CreatedAt: noon.Add(time.Hour)},
			{ID: "b", Owner: "acme", Domain: "b.example", Name: "B's \"ü\" 🙂"},
			{ID: "B", Owner: "acme", Domain: "b.example", IsPublic: true},
			{ID: "early", Owner: "acme", Domain: "early.example", CreatedAt: noon.Add(-time.Hour)},
			{ID: "theirs", Owner: "other", Domain: "b.example"},
		} {
			if _, err := s.CreateWebsite(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Websites(ctx, "acme")
		want := []store.Website{
			{ID: "early", Owner: "acme", Name: "early.example", Domain: "early.example", CreatedAt: noonKept.Add(-time.Hour)},
			{ID: "B", Owner: "acme", Name: "b.example", Domain: "b.example", IsPublic: true, CreatedAt: noonKept},
			{ID: "b", Owner: "acme", Name: "B's \"ü\" 🙂", Domain: "b.example", CreatedAt: noonKept},
			{ID: "late", Owner: "acme", Name: "late.example", Domain: "late.example", CreatedAt: noonKept.Add(time.Hour)},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Websites, by creation, then id (-want +got):\n%s%v", diff, err)
		}
		if got, err := s.Websites(ctx, "nobody"); err != nil || got == nil || len(got) != 0 {
			t.Errorf("websites of nobody = %v, %v; want an empty list", got, err)
		}
		if got, err := s.Website(ctx, "B"); err != nil || got != want[1] {
			t.Errorf("Website = %+v, %v", got, err)
		}
		for _, id := range []string{"", "x", "EARLY", "b' OR '1'='1"} {
			if got, err := s.Website(ctx, id); !errors.Is(err, store.ErrNotFound) || got != (store.Website{}) {
				t.Errorf("Website(%q) = %+v, %v", id, got, err)
			}
		}
	})
}

func TestOwner(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		for _, id := range []string{"of-site", "of-link", "of-monitor"} {
			if _, err := s.CreateOwner(ctx, Owner{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		_, err1 := s.CreateWebsite(ctx, store.Website{ID: "same", Owner: "of-site", Domain: "a.example"})
		_, err2 := s.CreateLink(ctx, Link{ID: "same", Owner: "of-link", TargetURL: "https://a.example"})
		_, err3 := s.CreateMonitor(ctx, Monitor{ID: "same", Owner: "of-monitor", URL: "tcp://a.example:25"})
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		for kind, want := range map[store.SubjectKind]string{
			store.KindWebsite: "of-site", store.KindLink: "of-link", store.KindSchedule: "of-monitor",
		} {
			if got, err := s.Owner(ctx, store.Subject{Kind: kind, ID: "same"}); err != nil || got != want {
				t.Errorf("owner of the %s = %q, %v", kind, got, err)
			}
			if got, err := s.Owner(ctx, store.Subject{Kind: kind, ID: "none"}); !errors.Is(err, store.ErrNotFound) || got != "" {
				t.Errorf("owner of no %s = %q, %v", kind, got, err)
			}
		}
		if got, err := s.Owner(ctx, store.Subject{Kind: "websites", ID: "same"}); !errors.Is(err, store.ErrNotFound) || got != "" {
			t.Errorf("owner of an unknown kind = %q, %v", got, err)
		}
	})
}

func TestDomains(t *testing.T) {
	for given, want := range map[string]string{
		"example.com":                         "example.com",
		" Example.COM ":                       "example.com",
		"https://www.Example.com:8443/a?b#c":  "www.example.com",
		"http://user:pass@example.com":        "example.com",
		"//example.com/":                      "example.com",
		"example.com/path://x":                "example.com",
		"example.com.":                        "example.com",
		"localhost:3000":                      "localhost",
		"[2001:DB8::1]:80":                    "2001:db8::1",
		"https://[::1]/":                      "::1",
		"2001:db8::1":                         "2001:db8::1",
		"MÜLLER.example":                      "müller.example",
		"under_score.example":                 "under_score.example",
		"":                                    "",
		"  ":                                  "",
		"https://":                            "",
		"https:///path":                       "",
		":80":                                 "",
		"two words.example":                   "",
		"a,b.example":                         "",
		"nul\x00.example":                     "",
		"bad\xff.example":                     "",
		strings.Repeat("a", 254):              "",
		"<script>alert(1)</script>.example":   "",
		"example.com\\@evil.example":          "example.com",
		"https://example.com@evil.example/x@": "evil.example",
	} {
		var f faults
		got := f.domain(given)
		if want == "" && len(f) != 1 {
			t.Errorf("domain of %q = %q, without a fault", given, got)
		}
		if want != "" && (got != want || len(f) > 0) {
			t.Errorf("domain of %q = %q, %v; want %q", given, got, f, want)
		}
	}
}

func TestInvalidRecords(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		long := strings.Repeat("x", 256)
		for _, c := range []struct {
			says string
			err  func() error
			part []string
		}{
			{"every fault of a website is named", func() error {
				_, err := s.CreateWebsite(ctx, store.Website{ID: "a b", Name: "x\x00"})
				return err
			}, []string{"id", "owner", "domain", "name"}},
			{"a link needs a web address", func() error {
				_, err := s.CreateLink(ctx, Link{Owner: "acme", TargetURL: "javascript://x/%0aalert(1)"})
				return err
			}, []string{"target"}},
			{"a link needs a whole address", func() error {
				_, err := s.CreateLink(ctx, Link{Owner: "acme", TargetURL: "example.com/x"})
				return err
			}, []string{"target"}},
			{"a slug has an end", func() error {
				_, err := s.CreateLink(ctx, Link{Owner: "acme", TargetURL: "https://a.example", Slug: long})
				return err
			}, []string{"slug"}},
			{"a monitor needs an address", func() error {
				_, err := s.CreateMonitor(ctx, Monitor{Owner: "acme", Name: "m\xff", WebsiteID: "w\x00"})
				return err
			}, []string{"url", "name", "website"}},
		} {
			err := c.err()
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%s: %v", c.says, err)
				continue
			}
			for _, part := range c.part {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: no word of %s in: %v", c.says, part, err)
				}
			}
		}
		if links, err := s.Links(ctx, "acme"); err != nil || len(links) != 0 {
			t.Errorf("links = %v, %v", links, err)
		}
	})
}

func TestConflicts(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		site, err := s.CreateWebsite(ctx, store.Website{ID: "w", Owner: "acme", Domain: "a.example"})
		if err != nil {
			t.Fatal(err)
		}
		link := Link{ID: "l", Owner: "acme", Slug: "go", TargetURL: "https://a.example/x"}
		if _, err := s.CreateLink(ctx, link); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			says string
			err  func() error
			want error
		}{
			{"a website's id is taken, also for another owner", func() error {
				_, err := s.CreateWebsite(ctx, store.Website{ID: "w", Owner: "other", Domain: "b.example"})
				return err
			}, ErrExists},
			{"a link's id is taken", func() error {
				_, err := s.CreateLink(ctx, Link{ID: "l", Owner: "other", TargetURL: "https://b.example"})
				return err
			}, ErrExists},
			{"a slug is taken", func() error {
				_, err := s.CreateLink(ctx, Link{Owner: "acme", Slug: "go", TargetURL: "https://b.example"})
				return err
			}, ErrExists},
			{"another owner may have the same slug", func() error {
				_, err := s.CreateLink(ctx, Link{Owner: "other", Slug: "go", TargetURL: "https://b.example"})
				return err
			}, nil},
			{"links without slug do not collide", func() error {
				_, err1 := s.CreateLink(ctx, Link{Owner: "acme", TargetURL: "https://b.example"})
				_, err2 := s.CreateLink(ctx, Link{Owner: "acme", TargetURL: "https://b.example"})
				return errors.Join(err1, err2)
			}, nil},
			{"a monitor may have no website", func() error {
				_, err := s.CreateMonitor(ctx, Monitor{Owner: "acme", URL: "https://a.example"})
				return err
			}, nil},
			{"a monitor's website must be there", func() error {
				_, err := s.CreateMonitor(ctx, Monitor{Owner: "acme", URL: "https://a.example", WebsiteID: "none"})
				return err
			}, store.ErrNotFound},
			{"a monitor's website must be its owner's", func() error {
				_, err := s.CreateMonitor(ctx, Monitor{Owner: "other", URL: "https://a.example", WebsiteID: site.ID})
				return err
			}, store.ErrNotFound},
		} {
			if err := c.err(); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", c.says, err)
			}
		}
		if got, err := s.Website(ctx, "w"); err != nil || got != site {
			t.Errorf("after the conflicts the website is %+v, %v", got, err)
		}
		want := link
		want.Name, want.CreatedAt = "go", noonKept
		if got, err := s.Links(ctx, "acme"); err != nil || len(got) != 3 || !slices.Contains(got, want) {
			t.Errorf("after the conflicts the links are %+v, %v", got, err)
		}
	})
}
