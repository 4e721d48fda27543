package flags

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// told counts the notifications of an invalidator by client.
type told map[Client]int

func (n told) FlagsChanged(_ context.Context, client Client) { n[client]++ }

func newEditor(t *testing.T, s Store, notify ...Invalidator) *Editor {
	t.Helper()
	e, err := NewEditor(EditorConfig{Store: s, Notify: notify, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustCreate(t *testing.T, e *Editor, f Flag) Flag {
	t.Helper()
	if f.Client == (Client{}) {
		f.Client = OfWebsite("web")
	}
	if f.Type == "" {
		f.Type = Boolean
	}
	f, err := e.Create(t.Context(), Actor{Kind: "key"}, f)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDependencies makes random graphs. The editor must refuse an edge if and only if a path leads
// back.
func TestDependencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cycles := 0
	for range 200 {
		const n = 6
		e := newEditor(t, &Memory{})
		var ids [n]string
		var edges [n][n]bool
		for i := range n {
			ids[i] = mustCreate(t, e, Flag{Key: fmt.Sprint(i)}).ID
		}
		for range 12 {
			from, to := rng.IntN(n), rng.IntN(n)
			tried := edges
			tried[from][to] = true
			_, err := e.Change(t.Context(), Target{Client: OfWebsite("web"), ID: ids[from]}, func(f *Flag) {
				if key := fmt.Sprint(to); !slices.Contains(f.Dependencies, key) {
					f.Dependencies = append(f.Dependencies, key)
				}
			})
			if reaches(tried, to, from, n) {
				cycles++
				if !errors.Is(err, ErrInvalid) ||
					!strings.Contains(err.Error(), "form a cycle: "+fmt.Sprint(from)+" → ") {
					t.Fatalf("%d → %d closes a cycle in %v: %v", from, to, edges, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%d → %d closes no cycle in %v: %v", from, to, edges, err)
			}
			edges = tried
		}
	}
	if cycles < 100 {
		t.Errorf("only %d cycles", cycles)
	}
}

// reaches reports whether a path of at most left steps leads from a to b.
func reaches(edges [6][6]bool, a, b, left int) bool {
	if a == b {
		return true
	}
	for next, is := range edges[a] {
		if left > 0 && is && reaches(edges, next, b, left-1) {
			return true
		}
	}
	return false
}

func TestReferencesOfAFlag(t *testing.T) {
	e := newEditor(t, &Memory{})
	base := mustCreate(t, e, Flag{Key: "base"})
	mustCreate(t, e, Flag{Key: "staged", Environment: "staging"})
	for _, f := range []Flag{
		{Key: "x", Dependencies: []string{"none"}},
		{Key: "x", Dependencies: []string{"staged"}},
		{Key: "x", Dependencies: []string{"x"}},
		{Key: "x", Groups: []string{"none"}},
		{Client: OfWebsite("other"), Key: "x", Dependencies: []string{"base"}},
	} {
		if f.Client == (Client{}) {
			f.Client = OfWebsite("web")
		}
		f.Type = Boolean
		if _, err := e.Create(t.Context(), Actor{}, f); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	f := mustCreate(t, e, Flag{Key: "x", Dependencies: []string{"base"}})
	if err := e.Remove(t.Context(), Target{Client: OfWebsite("web"), ID: base.ID}); err != nil {
		t.Fatal(err)
	}
	// A missing dependency does not prevent other changes.
	target := Target{Client: OfWebsite("web"), ID: f.ID}
	if _, err := e.Change(t.Context(), target, func(f *Flag) { f.Name = "renamed" }); err != nil {
		t.Error(err)
	}
	// If the dependency is created again, it must not depend on the flag that depends on it.
	if _, err := e.Create(t.Context(), Actor{},
		Flag{Client: OfWebsite("web"), Key: "base", Type: Boolean, Dependencies: []string{"x"}}); !errors.Is(err,
		ErrInvalid) {
		t.Error(err)
	}
}

func TestUnchangeableFields(t *testing.T) {
	e := newEditor(t, &Memory{})
	f := mustCreate(t, e, Flag{Key: "k", ID: "mine", Revision: 9, RemovedAt: noon(), CreatedAt: noon().Add(time.Hour)})
	if f.ID == "mine" || len(f.ID) != 36 || f.Revision != 1 || !f.RemovedAt.IsZero() || !f.CreatedAt.Equal(noon()) {
		t.Errorf("%+v", f)
	}
	for field, edit := range map[string]func(*Flag){
		"id":          func(f *Flag) { f.ID = "x" },
		"clientId":    func(f *Flag) { f.Client = OfWebsite("x") },
		"key":         func(f *Flag) { f.Key = "x" },
		"environment": func(f *Flag) { f.Environment = "x" },
	} {
		if _, err := e.Change(t.Context(), Target{Client: OfWebsite("web"), ID: f.ID}, edit); err == nil ||
			!strings.Contains(err.Error(), field+" cannot be changed") {
			t.Errorf("%s: %v", field, err)
		}
	}
	f, err := e.Change(t.Context(), Target{Client: OfWebsite("web"), ID: f.ID}, func(f *Flag) {
		f.Revision, f.CreatedAt, f.UpdatedAt, f.RemovedAt = 77, time.Time{}, time.Time{}, noon()
	})
	if err != nil || f.Revision != 2 || !f.CreatedAt.Equal(noon()) || !f.UpdatedAt.Equal(noon()) ||
		!f.RemovedAt.IsZero() {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := e.Create(t.Context(), Actor{Name: strings.Repeat("x", MaxID+1)},
		Flag{Client: OfWebsite("web"), Key: "z", Type: Boolean}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func TestGroups(t *testing.T) {
	e := newEditor(t, &Memory{})
	g, err := e.PutGroup(t.Context(), Group{Client: OfWebsite("web"), Name: "Staff", Revision: 5})
	if err != nil || g.ID == "" || g.Revision != 1 || g.Color != "#6366f1" || !g.CreatedAt.Equal(noon()) {
		t.Fatalf("%+v, %v", g, err)
	}
	g.Name = "Our staff"
	changed, err := e.PutGroup(t.Context(), g)
	if err != nil || changed.Revision != 2 || changed.Name != "Our staff" {
		t.Errorf("%+v, %v", changed, err)
	}
	if _, err := e.PutGroup(t.Context(), g); !errors.Is(err, ErrConflict) {
		t.Errorf("second change for revision 1: %v", err)
	}
	for _, bad := range []Group{{Client: OfWebsite("other"), ID: g.ID, Name: "x"},
		{Client: OfWebsite("web"), ID: "none", Name: "x"}} {
		if _, err := e.PutGroup(t.Context(), bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := e.PutGroup(t.Context(), Group{Client: OfWebsite("web")}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	f := mustCreate(t, e, Flag{Key: "k", Groups: []string{g.ID}})
	if err := e.RemoveGroup(t.Context(), OfWebsite("web"), g.ID); err == nil ||
		!strings.Contains(err.Error(), "is still used by k") {
		t.Error(err)
	}
	if err := e.Remove(t.Context(), Target{Client: OfWebsite("web"), ID: f.ID}); err != nil {
		t.Error(err)
	}
	if err := e.RemoveGroup(t.Context(), OfWebsite("other"), g.ID); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := e.RemoveGroup(t.Context(), OfWebsite("web"), g.ID); err != nil {
		t.Error(err)
	}
	if list, err := e.Groups(t.Context(), OfWebsite("web")); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	for range MaxGroups {
		_, err = e.PutGroup(t.Context(), Group{Client: OfWebsite("web"), Name: "x"})
	}
	if _, more := e.PutGroup(t.Context(), Group{Client: OfWebsite("web"), Name: "x"}); err != nil ||
		!errors.Is(more, ErrInvalid) {
		t.Errorf("%v; one group more: %v", err, more)
	}
}

func TestRemovedFlagsAreBounded(t *testing.T) {
	var m Memory
	c := Commit{Client: OfWebsite("web")}
	for i := range MaxRemoved {
		f := Flag{ID: fmt.Sprint("f", i), Client: OfWebsite("web"), Key: fmt.Sprint(i), Revision: 2,
			RemovedAt: noon().Add(-time.Duration(i) * time.Minute)}
		c.Flags = append(c.Flags, f)
	}
	if err := m.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, &m)
	f := mustCreate(t, e, Flag{Key: "k"})
	if err := e.Remove(t.Context(), Target{Client: OfWebsite("web"), ID: f.ID}); err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(t.Context(), OfWebsite("web"))
	if err != nil || len(set.Flags) != MaxRemoved ||
		slices.ContainsFunc(set.Flags, func(f Flag) bool { return f.ID == "f999" }) {
		t.Errorf("%d flags, %v; the flag that was removed first should be deleted", len(set.Flags), err)
	}
}

func TestSetIsBounded(t *testing.T) {
	var m Memory
	c := Commit{Client: OfWebsite("web")}
	values := slices.Repeat([]string{strings.Repeat("x", 1023)}, 1024) // more than an editor accepts
	for i := range 17 {
		c.Groups = append(c.Groups,
			Group{ID: fmt.Sprint(i), Client: OfWebsite("web"),
				Rules: []Rule{{On: OnUserID, Operator: In, Batch: true, BatchValues: values}}})
	}
	if err := m.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err := newEditor(t, &m).Create(t.Context(), Actor{}, Flag{Client: OfWebsite("web"), Key: "k", Type: Boolean})
	if err == nil || !strings.Contains(err.Error(), "may have flags and groups of") {
		t.Error(err)
	}
}

// contested is a store in which another change comes first, a set number of times.
type contested struct {
	Memory
	times int
	tries int
	fault error // error of commits; nil for none
}

func (c *contested) Commit(ctx context.Context, one Commit) error {
	c.tries++
	if c.times > 0 {
		c.times--
		if err := c.Memory.Commit(ctx, Commit{Client: one.Client, Base: one.Base}); err != nil {
			return err
		}
	}
	return errors.Join(c.Memory.Commit(ctx, one), c.fault)
}

func TestConcurrentChangesAreRetried(t *testing.T) {
	heard := told{}
	s := &contested{times: 5}
	e := newEditor(t, s, heard)
	mustCreate(t, e, Flag{Key: "k"})
	if s.tries != 6 || heard[OfWebsite("web")] != 1 {
		t.Errorf("%d attempts, notified %v", s.tries, heard)
	}
	s.times, s.tries = 1000, 0
	if _, err := e.Create(t.Context(), Actor{},
		Flag{Client: OfWebsite("web"), Key: "l", Type: Boolean}); !errors.Is(err, ErrConflict) || s.tries != maxTries {
		t.Errorf("%v after %d attempts", err, s.tries)
	}
	// Invalidators are also notified of a change that may have been stored.
	s.times, s.fault = 0, errors.New("the connection broke")
	before := heard[OfWebsite("web")]
	if _, err := e.Create(t.Context(), Actor{},
		Flag{Client: OfWebsite("web"), Key: "m", Type: Boolean}); !errors.Is(err, s.fault) ||
		heard[OfWebsite("web")] != before+1 {
		t.Errorf("%v, notified %v", err, heard)
	}
}

func TestHistoryPages(t *testing.T) {
	now := noon()
	e, err := NewEditor(EditorConfig{Store: &Memory{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	f := mustCreate(t, e, Flag{Key: "k"})
	target := Target{Client: OfWebsite("web"), ID: f.ID}
	for range 3 {
		if _, err := e.Change(t.Context(), target, func(f *Flag) {
			f.Schedule = []Step{{At: noon().Add(time.Hour), Action: Disable},
				{At: noon().Add(2 * time.Hour), Action: Enable}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	now = noon().Add(3 * time.Hour) // revisions 1 to 4 are stored; 5 and 6 come from the schedule
	for _, c := range []struct {
		before int64
		limit  int
		want   string
	}{
		{0, 10, "[6 5 4 3 2 1]"},
		{0, 1, "[6]"},
		{0, 2, "[6 5]"},
		{0, 3, "[6 5 4]"},
		{6, 2, "[5 4]"},
		{5, 2, "[4 3]"},
		{1, 2, "[]"},
	} {
		list, err := e.History(t.Context(), target, c.before, c.limit)
		got := []int64{}
		for _, one := range list {
			got = append(got, one.Revision)
		}
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("before %d, at most %d: %v, %v; want %s", c.before, c.limit, got, err, c.want)
		}
	}
	for _, limit := range []int{0, MaxHistory + 1} {
		if _, err := e.History(t.Context(), target, 0, limit); !errors.Is(err, ErrInvalid) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestListIsNewestFirst(t *testing.T) {
	now := noon()
	e, err := NewEditor(EditorConfig{Store: &Memory{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, key := range []string{"b", "c", "a"} {
		now = now.Add(time.Second)
		f := mustCreate(t, e, Flag{Key: key, Schedule: []Step{{At: noon().Add(time.Hour), Action: Disable}}})
		if _, err := e.PutGroup(t.Context(), Group{Client: OfWebsite("web"), Name: key}); err != nil {
			t.Fatal(err)
		}
		if key != "c" {
			want = append([]string{key}, want...)
			continue
		}
		if err := e.Remove(t.Context(), Target{Client: OfWebsite("web"), ID: f.ID}); err != nil {
			t.Fatal(err)
		}
	}
	now = noon().Add(time.Hour)
	list, err := e.List(t.Context(), OfWebsite("web"))
	var got []string
	for _, f := range list {
		got = append(got, f.Key)
		if f.Status != Inactive || f.Revision != 2 {
			t.Errorf("%s lacks the steps of its schedule: %+v", f.Key, f)
		}
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	groups, err := e.Groups(t.Context(), OfWebsite("web"))
	if err != nil || len(groups) != 3 || groups[0].Name != "a" || groups[2].Name != "b" {
		t.Errorf("groups %+v, %v", groups, err)
	}
}
