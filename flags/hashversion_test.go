package flags

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestHashVersionOfStoredAndNewFlags checks the version of a flag that was stored without one, and of a new flag.
func TestHashVersionOfStoredAndNewFlags(t *testing.T) {
	var old Flag
	if err := json.Unmarshal([]byte(`{"id":"1","clientId":"web","key":"old","type":"rollout","status":"active","rolloutPercentage":50}`), &old); err != nil {
		t.Fatal(err)
	}
	old.Client.Kind = Website
	m := &Memory{}
	past := Change{Client: OfWebsite("web"), Flag: "1", Revision: 1, At: noon(), Event: Created, After: &old}
	if err := m.Commit(t.Context(),
		Commit{Client: OfWebsite("web"), Flags: []Flag{old}, Changes: []Change{past}}); err != nil {
		t.Fatal(err)
	}
	e, err := NewEditor(EditorConfig{Store: m, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	target, ctx := Target{Client: OfWebsite("web"), ID: "1"}, t.Context()
	version := func(what string, f Flag, err error, want int) {
		t.Helper()
		if err != nil || f.HashVersion != want {
			t.Errorf("%s: version %d, %v; want %d", what, f.HashVersion, err, want)
		}
	}
	f, err := e.Flag(ctx, OfWebsite("web"), "1")
	version("stored without a version", f, err, FirstHash)
	list, err := e.List(ctx, OfWebsite("web"))
	version("in a list", list[0], err, FirstHash)
	changes, err := e.History(ctx, target, 0, 1)
	version("in the history", *changes[0].After, err, FirstHash)
	f, err = e.Change(ctx, target, func(f *Flag) { f.Name = "n" })
	version("after another change", f, err, FirstHash)
	f, err = e.Change(ctx, target, func(f *Flag) { f.HashVersion = 0 })
	version("after a change that names none", f, err, FirstHash)
	if err := e.Remove(ctx, target); err != nil {
		t.Fatal(err)
	}
	f, err = e.Create(ctx, Actor{}, Flag{Client: OfWebsite("web"), Key: "old", Type: Rollout})
	version("restored", f, err, FirstHash)
	f, err = e.Change(ctx, target, func(f *Flag) { f.HashVersion, f.Percentage = MixedHash, 0.01 })
	version("changed explicitly", f, err, MixedHash)
	f, err = e.Create(ctx, Actor{}, Flag{Client: OfWebsite("web"), Key: "new", Type: Rollout, Percentage: 12.34})
	version("new", f, err, MixedHash)
	f, err = e.Create(ctx, Actor{},
		Flag{Client: OfWebsite("web"), Key: "first", Type: Rollout, HashVersion: FirstHash, Percentage: 12})
	version("new with the first hash", f, err, FirstHash)
	for wrong, f := range map[string]Flag{
		"hashVersion must be 1 or 2, not 3": {HashVersion: 3},
		"rolloutPercentage must be a whole number with hashVersion 1, not 12.5": {HashVersion: FirstHash,
			Percentage: 12.5},
		"rolloutPercentage may have at most two decimals, not 12.345": {Percentage: 12.345},
	} {
		f.Client, f.Key, f.Type = OfWebsite("web"), "wrong", Rollout
		if _, err := e.Create(ctx, Actor{}, f); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%v, want %q", err, wrong)
		}
	}
	for _, body := range []string{`{"hashVersion":0}`, `{"hashVersion":null}`, `{"hashVersion":"2"}`} {
		if _, err := ParsePatch([]byte(body)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestMixedRolloutExcludesNoOne raises a percentage in steps of 0.01.
func TestMixedRolloutExcludesNoOne(t *testing.T) {
	s, on := newSplit(MixedHash, forRollout, "k"), 0
	for _, id := range []string{"a", "b", "ü", "", "user-1", "user-2", "user-3", "anonymous"} {
		was := false
		for n := range mixedBuckets + 1 {
			is := s.below(id, float64(n)/100)
			if was && !is {
				t.Fatalf("%q is off at %v %%", id, float64(n)/100)
			}
			was = is
		}
		if was {
			on++
		}
		if s.below(id, 0) {
			t.Errorf("%q is on at 0 %%", id)
		}
	}
	if on != 8 {
		t.Errorf("at 100 %% %d of 8 are on", on)
	}
}
