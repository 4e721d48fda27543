package auth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

// TestPermissions asks for every permission by callers who have all scopes and one limit each, and without the scopes.
func TestPermissions(t *testing.T) {
	site := of("acme", "website", "w1")
	limited := func(limit func(*auth.Principal)) *auth.Principal {
		p := &auth.Principal{Key: new(over(auth.Scopes()...))}
		limit(p)
		return p
	}
	callers := map[string]*auth.Principal{
		"key":      limited(func(*auth.Principal) {}),
		"token":    limited(func(p *auth.Principal) { p.Token = "tok_1" }),
		"filtered": limited(func(p *auth.Principal) { p.Key.Filters = []auth.Filter{{Field: "country"}} }),
		"typed":    limited(func(p *auth.Principal) { p.Key.Types = []string{} }),
		"list":     limited(func(p *auth.Principal) { p.Key.All, p.Key.Resources = false, list(site) }),
		"both":     limited(func(p *auth.Principal) { p.Key.Resources = list(site) }),
	}
	const everyKey = "both filtered key list typed"
	for _, row := range []struct {
		name   string
		need   auth.Permission
		suits  string       // callers with the scope who may
		scopes []auth.Scope // the only ones that suffice for a website
	}{
		{"nothing", auth.Permission{}, everyKey + " token", auth.Scopes()},
		{"to read", auth.ToRead(), everyKey + " token", []auth.Scope{auth.ReadData}},
		{"to list websites", auth.ToList("website"), everyKey + " token", []auth.Scope{auth.ReadData}},
		{"to list links", auth.ToList("link"), everyKey + " token", []auth.Scope{auth.ReadData, auth.ReadLinks}},
		{"to explain", auth.ToExplain(), "both key list typed", []auth.Scope{auth.ReadData}},
		{"to export", auth.ToExport(), "both key list", []auth.Scope{auth.ExportData}},
		{"to erase", auth.ToErase(), "both key list", []auth.Scope{auth.EraseData}},
		{"to manage websites", auth.ToManageWebsites(), "both key list", []auth.Scope{auth.ManageWebsites}},
		{"to add websites", auth.ToAddWebsites(), "key", []auth.Scope{auth.ManageWebsites}},
		{"to manage definitions", auth.ToManageDefinitions(), everyKey, []auth.Scope{auth.ManageDefinitions}},
		{"to manage flags", auth.ToManageFlags(), everyKey, []auth.Scope{auth.ManageFlags}},
		{"to manage keys", auth.ToManageKeys(), everyKey, []auth.Scope{auth.ManageKeys}},
		{"to mint tokens", auth.ToMintTokens(), everyKey,
			[]auth.Scope{auth.ReadData, auth.ReadLinks, auth.ReadMonitors}},
		{"to read the audit trail", auth.ToReadAudit(), "key typed", []auth.Scope{auth.ReadAudit}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for name, p := range callers {
				want := slices.Contains(strings.Fields(row.suits), name)
				if got := p.Allows(row.need, site); got != want || p.Suits(row.need) != want {
					t.Errorf("%s: allowed %v, suits %v, want %v", name, got, p.Suits(row.need), want)
				}
				if has := p.Has(row.need); has != (want && row.name != "to read") {
					t.Errorf("%s: Has is %v", name, has)
				}
				for _, r := range []auth.Resource{of("other", "website", "w1"), of("", "website", "w1"), {}} {
					if p.Allows(row.need, r) {
						t.Errorf("%s: allowed for %v", name, r)
					}
				}
			}
			for _, s := range auth.Scopes() {
				p, want := &auth.Principal{Key: new(over(s))}, slices.Contains(row.scopes, s)
				if got := p.Allows(row.need, site); got != want {
					t.Errorf("with %s alone: %v, want %v", s, got, want)
				}
				if got := p.Has(row.need); got != (want && row.name != "to read") {
					t.Errorf("with %s alone: Has is %v", s, got)
				}
			}
		})
	}
}

func TestToRead(t *testing.T) {
	site, link, monitor := of("acme", "website", "x"), of("acme", "link", "x"), of("acme", "schedule", "x")
	for _, p := range []permission{
		allow("read:data reads a website", over(auth.ReadData), "", site),
		allow("read:data reads a link", over(auth.ReadData), "", link),
		allow("read:data reads a monitor", over(auth.ReadData), "", monitor),
		allow("read:links reads a link", over(auth.ReadLinks), "", link),
		allow("read:monitors reads a monitor", over(auth.ReadMonitors), "", monitor),
		deny("read:links reads no website", over(auth.ReadLinks), "", site),
		deny("read:links reads no monitor", over(auth.ReadLinks), "", monitor),
		deny("read:monitors reads no link", over(auth.ReadMonitors), "", link),
		deny("read:monitors reads no website", over(auth.ReadMonitors), "", site),
		deny("track:events and manage:flags read nothing", over(auth.TrackEvents, auth.ManageFlags), "", site),
		allow("a key reads a listed link", only(list(link), auth.ReadLinks), "", link),
		deny("with read:links a key does not read an unlisted link", only(list(site), auth.ReadLinks), "", link),
		deny("another owner's monitor is not read", over(auth.ReadData, auth.ReadMonitors), "",
			of("other", "schedule", "x")),
		deny("no scope reads an unknown kind", over(auth.Scopes()...), "", of("acme", "organization", "x")),
	} {
		t.Run(p.says, func(t *testing.T) {
			scope, got := auth.ToRead().ScopeOn(&p.key, p.on)
			if got != p.want {
				t.Errorf("%+v: %v", p.on, got)
			}
			if scopes := auth.ReadScopes(p.on.Kind); !got && len(scopes) > 0 && scope != scopes[len(scopes)-1] {
				t.Errorf("%+v: %q would suffice, but is not the narrowest scope", p.on, scope)
			} else if got && !p.key.Allows(scope, p.on) {
				t.Errorf("%+v: scope %q does not allow it", p.on, scope)
			}
		})
	}
}
