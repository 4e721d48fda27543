package flagstest_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/flagstest"
)

const flawVariable = "FLAGSTEST_FLAW"

// flaws maps each planted mistake to the case that must detect it.
var flaws = map[string]string{
	"keeps every commit":            "old base",
	"knows no set but the first":    "first commits at once",
	"writes JSON anew":              "round trip",
	"forgets groups":                "round trip",
	"keeps one flag per id":         "clients are apart",
	"takes kinds for one":           "clients are apart",
	"lists the oldest change first": "history",
	"counts the page from one":      "history",
	"drops nothing":                 "dropped",
	"answers for strangers":         "revisions",
	"hands out its own records":     "nothing is shared",
	"does not look at contexts":     "ended",
	"forgets what was removed":      "remove and restore",
	"truncates sets":                "a full client",
}

// flawed reports whether the environment selects this flaw. Only TestSuiteCatches selects flaws; without a flaw the
// suite must pass.
func flawed(name string) bool { return os.Getenv(flawVariable) == name }

// TestSuiteCatches runs the test below in separate processes, since it must fail.
func TestSuiteCatches(t *testing.T) {
	for name, caught := range flaws {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe, err := os.Executable()
			if err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			caught := strings.ReplaceAll(caught, " ", "_")
			cmd := exec.CommandContext(ctx, exe, "-test.run=^TestFlawed$/^"+caught+"$", "-test.v")
			cmd.Env = append(os.Environ(), flawVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if _, failed := errors.AsType[*exec.ExitError](err); !failed {
				t.Fatalf("the suite did not detect the flaw %q: %v", name, err)
			}
			where := "--- FAIL: TestFlawed/" + caught
			if !strings.Contains(string(out), where) || !strings.Contains(string(out), "the rule: ") {
				t.Errorf("the output lacks %q:\n%s", where, out)
			}
		})
	}
}

// memory is a store with the selected flaw.
type memory struct {
	flags.Memory
	mu   sync.Mutex
	sets map[flags.Client]flags.Set // sets that Load returned
}

func (m *memory) Load(ctx context.Context, client flags.Client) (flags.Set, error) {
	if flawed("does not look at contexts") {
		ctx = context.WithoutCancel(ctx)
	}
	set, err := m.Memory.Load(ctx, client)
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.sets[client]; ok && old.Revision == set.Revision && flawed("hands out its own records") {
		return old, nil
	}
	m.sets[client] = set
	switch {
	case flawed("forgets groups"):
		set.Groups = nil
	case flawed("forgets what was removed"):
		set.Flags = slices.DeleteFunc(set.Flags,
			func(f flags.Flag) bool { return !f.RemovedAt.IsZero() && f.ID != "f1" })
	case flawed("truncates sets"):
		set.Flags = set.Flags[:min(len(set.Flags), 500)]
	case flawed("writes JSON anew"):
		var again flags.Set
		js, err := json.Marshal(set)
		if err == nil {
			err = json.Unmarshal(js, &again)
		}
		return again, err
	}
	return set, err
}

func (m *memory) Commit(ctx context.Context, c flags.Commit) error {
	if flawed("takes kinds for one") {
		c.Client.Kind = flags.Website
	}
	set, err := m.Memory.Load(context.WithoutCancel(ctx), c.Client)
	switch {
	case err != nil:
		return err
	case flawed("keeps every commit"), flawed("knows no set but the first") && c.Base > 0:
		c.Base = set.Revision
	case flawed("drops nothing"):
		c.DropFlags, c.DropGroups = nil, nil
	case flawed("keeps one flag per id") && len(c.DropFlags) > 0:
		first := c.Client
		first.ID = strings.Replace(first.ID, "other", "acme", 1)
		set, err := m.Memory.Load(ctx, first)
		if err == nil {
			err = m.Memory.Commit(ctx, flags.Commit{Client: first, Base: set.Revision, DropFlags: c.DropFlags})
		}
		if err != nil {
			return err
		}
	}
	return m.Memory.Commit(ctx, c)
}

func (m *memory) Revisions(ctx context.Context, clients []flags.Client) (map[flags.Client]int64, error) {
	found, err := m.Memory.Revisions(ctx, clients)
	for _, client := range clients {
		if _, known := found[client]; !known && flawed("answers for strangers") {
			found[client] = 0
		}
	}
	return found, err
}

func (m *memory) History(ctx context.Context, client flags.Client, flag string, before int64,
	limit int) ([]flags.Change, error) {
	if flawed("counts the page from one") {
		before++
	}
	list, err := m.Memory.History(ctx, client, flag, before, limit)
	if flawed("lists the oldest change first") {
		slices.Reverse(list)
	}
	return list, err
}

func TestFlawed(t *testing.T) {
	flagstest.Run(t, flagstest.Harness{Open: func(*testing.T) (one, other flags.Store) {
		m := &memory{sets: map[flags.Client]flags.Set{}}
		return m, m
	}})
}
