package auth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

type permission struct {
	says  string
	key   auth.Key
	scope auth.Scope
	on    auth.Resource
	want  bool
}

func allow(says string, k auth.Key, s auth.Scope, r auth.Resource) permission {
	return permission{says, k, s, r, true}
}

func deny(says string, k auth.Key, s auth.Scope, r auth.Resource) permission {
	return permission{says, k, s, r, false}
}

// over is a key of acme over everything, only a key of acme over a list.
func over(scopes ...auth.Scope) auth.Key {
	return auth.Key{Owner: "acme", All: true, Scopes: scopes}
}

func only(list []auth.Resource, scopes ...auth.Scope) auth.Key {
	return auth.Key{Owner: "acme", Resources: list, Scopes: scopes}
}

func of(owner, kind, id string) auth.Resource {
	return auth.Resource{Owner: owner, Kind: kind, ID: id}
}

func list(r ...auth.Resource) []auth.Resource { return r }

func TestKeyAllows(t *testing.T) {
	w1, w2 := of("acme", "website", "w1"), of("acme", "website", "w2")
	foreign := of("other", "website", "w1")
	both := over(auth.ReadData)
	both.Resources = list(w1)
	nobody := over(auth.ReadData)
	nobody.Owner = ""
	for _, p := range []permission{
		allow("a key for all resources reads any website of its owner", over(auth.ReadData), auth.ReadData, w1),
		deny("a key over everything does not reach another owner's website", over(auth.ReadData), auth.ReadData,
			foreign),
		deny("a key without the scope reads nothing", over(auth.TrackEvents), auth.ReadData, w1),
		deny("a key without scopes may do nothing", over(), auth.ReadData, w1),
		allow("one of several scopes is enough", over(auth.TrackEvents, auth.ReadData), auth.ReadData, w1),
		deny("managing flags does not include reading", over(auth.ManageFlags), auth.ReadData, w1),
		deny("the empty scope is never granted", over(auth.ReadData), "", w1),

		allow("a key reads a listed website", only(list(w2, w1), auth.ReadData), auth.ReadData, w1),
		deny("a key does not read an unlisted website", only(list(w2), auth.ReadData), auth.ReadData, w1),
		deny("a link with the id of a listed website is not listed", only(list(w1), auth.ReadData), auth.ReadData,
			of("acme", "link", "w1")),
		deny("an empty list grants nothing", only(nil, auth.ReadData), auth.ReadData, w1),
		deny("an empty list that is not nil grants nothing", only(list(), auth.ReadData), auth.ReadData, w1),
		deny("listing another owner's website does not open it", only(list(foreign), auth.ReadData), auth.ReadData,
			foreign),
		allow("the owner in a list is ignored", only(list(foreign), auth.ReadData), auth.ReadData, w1),
		deny("a listed website cannot be read without the scope", only(list(w1), auth.TrackEvents), auth.ReadData, w1),
		allow("a key with All and a list reads the listed website", both, auth.ReadData, w1),
		deny("a key with All and a list reads nothing else", both, auth.ReadData, w2),

		deny("a resource without owner is never allowed", over(auth.ReadData), auth.ReadData, of("", "website", "w1")),
		deny("a key without owner does not own a resource without owner", nobody, auth.ReadData,
			of("", "website", "w1")),
		deny("a resource without id is never allowed", over(auth.ReadData), auth.ReadData, of("acme", "website", "")),
		deny("owners are compared exactly", over(auth.ReadData), auth.ReadData, of("Acme", "website", "w1")),
		deny("ids are compared exactly", only(list(w1), auth.ReadData), auth.ReadData, of("acme", "website", "W1")),
		deny("the zero key may do nothing", auth.Key{}, auth.ReadData, w1),
	} {
		t.Run(p.says, func(t *testing.T) {
			if got := p.key.Allows(p.scope, p.on); got != p.want {
				t.Errorf("Allows(%s, %+v) = %v", p.scope, p.on, got)
			}
		})
	}
	if (*auth.Key)(nil).Allows(auth.ReadData, w1) {
		t.Error("a nil key may read")
	}
}

// TestAllowsLaws checks rules that hold for all keys and resources on every key and resource of a small
// world.
func TestAllowsLaws(t *testing.T) {
	resources := list(of("acme", "website", "1"), of("acme", "link", "1"), of("other", "website", "1"),
		of("other", "website", "2"))
	allowed := 0
	for mask := range 1 << len(resources) {
		var some []auth.Resource
		for i, r := range resources {
			if mask>>i&1 == 1 {
				some = append(some, r)
			}
		}
		for _, s := range auth.Scopes() {
			k, all := only(some, s), over(s)
			for _, r := range resources {
				for _, asked := range auth.Scopes() {
					got := k.Allows(asked, r)
					if got {
						allowed++
					}
					if got && (r.Owner != k.Owner || asked != s || mask == 0) {
						t.Errorf("%+v allows %s on %+v", k, asked, r)
					}
					if got && !all.Allows(asked, r) {
						t.Errorf("a list allows %s on %+v, which all does not", asked, r)
					}
					if got && !k.Allows(asked, r) {
						t.Errorf("two different results for %s on %+v", asked, r)
					}
				}
			}
		}
	}
	// 11 scopes, 2 resources of acme: the website is named by 12 of the 16 lists (the
	// other owner's row of the same id counts), the link by 8.
	if want := 11 * (12 + 8); allowed != want {
		t.Errorf("%d permissions in the small world, want %d", allowed, want)
	}
}

func TestKeyValid(t *testing.T) {
	now := time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		says string
		key  auth.Key
		want bool
	}{
		{"a new key is valid", auth.Key{}, true},
		{"a disabled key is invalid", auth.Key{Disabled: true}, false},
		{"a revoked key is invalid", auth.Key{Revoked: now.Add(-time.Hour)}, false},
		{"a key with a future revocation is invalid, to be safe", auth.Key{Revoked: now.Add(time.Hour)}, false},
		{"a key is valid until just before its expiry", auth.Key{Expires: now.Add(time.Millisecond)}, true},
		{"a key is invalid at its expiry", auth.Key{Expires: now}, false},
		{"the time zone of the expiry does not matter", auth.Key{Expires: now.In(time.FixedZone("", 20700))}, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			if got := c.key.Valid(now); got != c.want {
				t.Errorf("Valid = %v", got)
			}
		})
	}
	if (*auth.Key)(nil).Valid(now) {
		t.Error("a nil key is valid")
	}
}

func TestCheckReportsEveryFault(t *testing.T) {
	bad := auth.Key{
		Name: "a\xff", Scopes: []auth.Scope{auth.ReadData, "read:all"},
		All: true, Resources: list(of("", "website", ""), of("", "flag", "f")),
		Filters: []auth.Filter{{Op: "eq", Values: []string{"x"}}},
		Types:   []string{""}, Limits: &auth.Limits{},
	}
	err := bad.Check()
	if !errors.Is(err, auth.ErrBadKey) {
		t.Fatalf("Check = %v", err)
	}
	for _, part := range []string{"owner", "UTF-8", "scopes[1]", "either all or resources", "resources[0]",
		"resources[1]", "filters[0]", "types", "perMinute"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not mention %s:\n%v", part, err)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 9 {
		t.Errorf("%d mistakes, want 9:\n%v", n, err)
	}
	good := over(auth.Scopes()...)
	if err := good.Check(); err != nil {
		t.Errorf("a good key: %v", err)
	}
}

func TestScopesAreTheCallersOwn(t *testing.T) {
	auth.Scopes()[0] = "x"
	if slices.Contains(auth.Scopes(), "x") {
		t.Error("a caller changed the scopes")
	}
}

func ExampleKey_Allows() {
	key := auth.Key{
		Owner:     "acme",
		Scopes:    []auth.Scope{auth.ReadData},
		Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "shop"}},
	}
	fmt.Println(key.Allows(auth.ReadData, auth.Resource{Kind: auth.KindWebsite, ID: "shop", Owner: "acme"}))
	fmt.Println(key.Allows(auth.ReadData, auth.Resource{Kind: auth.KindWebsite, ID: "blog", Owner: "acme"}))
	fmt.Println(key.Allows(auth.ReadData, auth.Resource{Kind: auth.KindWebsite, ID: "shop", Owner: "rival"}))
	// Output:
	// true
	// false
	// false
}

// In JSON a filter has its values as value or as values, at every depth.
func TestFilterInJSON(t *testing.T) {
	t.Parallel()
	leaf := func(values ...string) auth.Filter { return auth.Filter{Field: "f", Op: "in", Values: values} }
	for js, want := range map[string]auth.Filter{
		`{"field":"f","op":"in","value":"a"}`:                   leaf("a"),
		`{"field":"f","op":"in","value":["a",1.50,true]}`:       leaf("a", "1.50", "true"),
		`{"field":"f","op":"in","values":["a"],"value":null}`:   leaf("a"),
		`{"or":[{"not":{"field":"f","op":"in","value":-1e3}}]}`: {Or: []auth.Filter{{Not: new(leaf("-1e3"))}}},
	} {
		var got auth.Filter
		if err := json.Unmarshal([]byte(js), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, %v, want %+v", js, got, err, want)
		}
	}
	for _, js := range []string{`{"value":"a","values":["b"]}`, `{"value":{}}`, `{"value":[null]}`, `{"value":[["a"]]}`,
		`{"fields":"f"}`, `{"and":[{"values":1}]}`, `{"did":{"event":{"op":"eq","value":"a","values":["b"]}}}`} {
		if err := json.Unmarshal([]byte(js), &auth.Filter{}); err == nil {
			t.Errorf("%s is accepted", js)
		}
	}
}
