package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Orders tests that an answer depends on the rows and on the question, and on nothing that was asked or done before. It
// lives random lives of a website: questions in random order are asked again and again, while days are sealed, rows
// come late, persons are erased, imports are sent twice and taken back, rows of old days are removed (in some lives
// after totals were made), and engines and the store start again. It compares each answer with that of package
// reference about the rows that are left, or about all rows if the answer is merged from totals.
//
// Then it plants each of several mistakes in the store, and fails unless the same run notices it; see
// Harness.NoMistakes.
func Orders(t *testing.T, h Harness, run RandomRun) {
	t.Run("answers", func(t *testing.T) {
		asked, taken, removes := 0, 0, false
		for seed := run.Seed; asked < run.Questions; seed++ {
			l := newLife(t, h, seed, nil)
			l.live(min(perLife, run.Questions-asked))
			asked, taken = asked+l.asked, taken+l.taken
			_, removes = l.store.(store.Remover)
			if len(l.wrong) > 0 {
				t.Fatalf("life %d: %s\nbefore:\n%s", seed, l.wrong[0],
					strings.Join(l.done[max(0, len(l.done)-60):], "\n"))
			}
		}
		if removes && taken == 0 && asked >= perLife {
			t.Error("no row of an import was taken back")
		}
		t.Logf("%d questions, %d rows of imports taken back, lives from %d on, no difference", asked, taken, run.Seed)
	})
	t.Run("sessions on both sides of the border, with totals", func(t *testing.T) { nights(t, h, true) })
	t.Run("sessions on both sides of the border, without totals", func(t *testing.T) { nights(t, h, false) })
	if !h.plants() {
		return
	}
	for _, mistake := range orderMistakes() {
		t.Run(mistake.name, func(t *testing.T) {
			for seed := run.Seed; seed < run.Seed+mistakeLives; seed++ {
				l := newLife(t, h, seed, mistake.over)
				if l.live(perLife); len(l.wrong) > 0 {
					return
				}
			}
			t.Errorf("%d lives did not notice the mistake", mistakeLives)
		})
	}
}

// nights tests answers about sessions that begin before the border of removal and continue after it.
func nights(t *testing.T, h Harness, totals bool) {
	l := &life{t: t, harness: h, rng: rand.New(rand.NewPCG(1, 2)), of: website("w"),
		first: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	l.now, l.address = l.first.AddDate(0, 0, 40), h.create(t)
	l.open()
	border, b := l.first.AddDate(0, 0, 10), store.Batch{}
	add := func(session, country, path string, at time.Time) {
		b.Events = append(b.Events,
			store.Event{Website: "w", ID: fmt.Sprint(len(b.Events)), Name: "screen_view", Time: at, Path: path,
				Identity: store.Identity{AnonymousID: session, SessionID: session},
				Agent:    store.Agent{Country: country}})
	}
	for i := range 5 {
		add(fmt.Sprint("night ", i), "DE", "/a", border.Add(-time.Hour))
		add(fmt.Sprint("night ", i), "US", "/b", border.Add(time.Hour))
	}
	add("day", "US", "/b", border.Add(12*time.Hour))
	mustWrite(t, l.store, &b)
	if _, err := l.engine.RebuildSeals(t.Context(), l.of, l.first, l.now); err != nil {
		t.Fatal(err)
	}
	ask := func(name, zone string, from, to int) (found string) {
		q := reference.Question{Type: name, Subject: l.of, Zone: zone, Now: l.now,
			StartDate: border.AddDate(0, 0, from).Format(time.DateOnly),
			EndDate:   border.AddDate(0, 0, to).Format(time.DateOnly)}
		for range 3 {
			resp, err := l.engine.Run(t.Context(), query.Access{Subject: l.of}, requestFor(q))
			if err != nil {
				t.Fatal(err)
			}
			found = string(resp.Data[0].Data.AppendJSON(nil))
		}
		return found
	}
	sessions := func() string { return ask("session_metrics", "UTC", 0, 1) + ask("country", "UTC", 0, 1) }
	sessions()
	if _, err := l.engine.Expire(t.Context(), l.of, border, totals); err != nil {
		t.Fatal(err)
	}
	want := `"total_sessions":6`
	if got := sessions(); !strings.Contains(got, want) || !strings.Contains(got, `"US","country_name"`) ||
		strings.Contains(got, "Germany") {
		t.Errorf("about the days that are left: %s, want %s, and the US alone", got, want)
	}
	if totals {
		l.start()
		ask("country", "Asia/Kathmandu", 0, 10)
		ask("country", "Asia/Kathmandu", 0, 9)
		if got, want := ask("country", "UTC", -9, 10),
			`"name":"Germany","pageviews":10,`; !strings.Contains(got, want) {
			t.Errorf("about removed days: %s, want %s", got, want)
		}
	}
	report, err := l.engine.VerifySeals(t.Context(), l.of, border, border.Add(day))
	if err != nil || len(report.Differences) > 0 || report.Verified == 0 {
		t.Errorf("the seal of the day after the border: %+v, %v", report, err)
	}
}

const (
	perLife      = 120 // questions
	mistakeLives = 12  // that a mistake may hide for
	lifeDays     = 12  // with rows
)

// An orderMistake is a store that makes a mistake over a correct one.
type orderMistake struct {
	name string
	over func(expirerStore) expirerStore
}

func orderMistakes() []orderMistake {
	return []orderMistake{
		{"totals are lost", func(s expirerStore) expirerStore { return forgetful{s} }},
		{"removals do not show in versions",
			func(s expirerStore) expirerStore { return &unremoved{s, map[int64]store.Day{}} }},
		{"imports are not taken back", func(s expirerStore) expirerStore { return keepsImports{s} }},
		{"days are not marked as removed", func(s expirerStore) expirerStore { return unmarked{s} }},
		{"old states count as new", func(s expirerStore) expirerStore { return evergreen{s} }},
		{"late rows do not show in versions",
			func(s expirerStore) expirerStore { return &frozen{s, map[int64]uint64{}} }},
		{"states are those of the day before", func(s expirerStore) expirerStore { return shifted{s} }},
	}
}

// unremoved is a store whose days have the versions and marks that they had until their rows were removed.
type unremoved struct {
	expirerStore
	was map[int64]store.Day // by start
}

// Days returns the days of s.
func (u *unremoved) Days(ctx context.Context, s store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := u.expirerStore.Days(ctx, s, from, to)
	for i, d := range days {
		was, known := u.was[d.Start.Unix()]
		switch {
		case d.Expired == 0:
			u.was[d.Start.Unix()] = d
		case known:
			days[i] = was
		}
	}
	return days, err
}

// keepsImports is a store that keeps the rows of imports.
type keepsImports struct{ expirerStore }

// RemoveImport removes nothing.
func (keepsImports) RemoveImport(context.Context, store.Subject, string) (map[string]int64, error) {
	return map[string]int64{}, nil
}

// Claim does nothing.
func (keepsImports) Claim(context.Context, *store.Batch) error { return nil }

// unmarked is a store that forgets which days were removed.
type unmarked struct{ expirerStore }

// Days returns the days of s.
func (u unmarked) Days(ctx context.Context, s store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := u.expirerStore.Days(ctx, s, from, to)
	for i := range days {
		days[i].Expired = 0
	}
	return days, err
}

// evergreen is a store whose states have larger versions than they were saved with.
type evergreen struct{ expirerStore }

const (
	newer      = 1 << 60 // is added to the versions of states that are not totals
	recomputed = 2       // the largest kind of states that are not totals
)

func (evergreen) age(states []store.State) []store.State {
	for i := range states {
		if states[i].Kind <= recomputed {
			states[i].Version += newer
		}
	}
	return states
}

// States lists the stored states of s.
func (e evergreen) States(ctx context.Context, s store.Subject) ([]store.State, error) {
	states, err := e.expirerStore.States(ctx, s)
	return e.age(states), err
}

// LoadStates returns stored states of s.
func (e evergreen) LoadStates(ctx context.Context, s store.Subject, names []store.StateName, from,
	to time.Time) ([]store.State,
	error) {
	states, err := e.expirerStore.LoadStates(ctx, s, names, from, to)
	return e.age(states), err
}

// frozen is a store whose days keep their first version while they have rows.
type frozen struct {
	expirerStore
	first map[int64]uint64
}

// Days returns the days of s.
func (f *frozen) Days(ctx context.Context, s store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := f.expirerStore.Days(ctx, s, from, to)
	for i, d := range days {
		if d.Expired > 0 || d.Version == 0 {
			continue
		}
		if _, known := f.first[d.Start.Unix()]; !known {
			f.first[d.Start.Unix()] = d.Version
		}
		days[i].Version = f.first[d.Start.Unix()]
	}
	return days, err
}

// shifted is a store that returns the bytes of other days' states.
type shifted struct{ expirerStore }

// LoadStates returns stored states of s.
func (x shifted) LoadStates(ctx context.Context, s store.Subject, names []store.StateName, from,
	to time.Time) ([]store.State,
	error) {
	states, err := x.expirerStore.LoadStates(ctx, s, names, from, to)
	last := map[store.StateName][]byte{}
	slices.SortStableFunc(states, func(a, b store.State) int { return a.Day.Compare(b.Day) })
	for i, one := range states {
		if before, ok := last[one.StateName]; ok {
			states[i].Bytes = before
		}
		last[one.StateName] = one.Bytes
	}
	return states, err
}
