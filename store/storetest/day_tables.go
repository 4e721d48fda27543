package storetest

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// DayTables tests a store that has all tables of [schema.DayTables]. The store must fill each table. Backup, Purge and
// a restart must keep the rows, and a copy of the store must fill the sealed tables again. Expire, ErasePerson and
// Erase must remove the rows that the list says, and no others.
func DayTables(t *testing.T, h Harness) {
	t.Helper()
	for _, table := range schema.DayTables() {
		t.Logf("%s is tested", table.Name)
	}
	p := &sharedStore{t: t, harness: h, address: h.create(t), now: noon}
	p.store = h.Open(t, p.address, p.clock)
	w := &dayTables{&trial{T: t, sharedStore: p, prefix: prefixOf(0)}}
	const early, late = 8, 0 // days before noon, more than store.MaxAround apart
	for days, name := range map[int]string{early: "early", late: "late"} {
		b := dayBefore(days, name)
		b.Events[0].AnonymousID, b.Events[0].SessionID = "visitor "+name, "session "+name
		w.write(b, 1, 0)
	}
	incomplete := store.Derivation{Subject: w.own(website("w")), From: midnight, To: midnight.Add(day)}
	if err := interfaceOf[store.Deriver](w.trial).Seal(t.Context(), incomplete); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Seal without statements: %v, want store.ErrInvalid", err)
	}
	if got := w.seals(true); got != sealedResults {
		t.Errorf("%d results of 9 days are compared, want %d", got, sealedResults)
	}
	w.saveStates(w.state(1, early, 1, "kept"), w.state(2, early, 1, "gone"), w.state(1, late, 1, "a state"))
	w.want("sealed", early, func(t *schema.DayTable) bool { return !t.Stays })
	w.want("sealed", late, func(t *schema.DayTable) bool { return !t.Stays })
	w.keepsAll(early, late)
	w.copied()

	w.expire("w", early, 1, 1)
	w.want("expired", early, func(t *schema.DayTable) bool { return t.Kinds || t.Stays })
	w.want("expired", late, func(t *schema.DayTable) bool { return !t.Stays })
	removed, err := interfaceOf[store.PersonEraser](w.trial).ErasePerson(t.Context(),
		store.Person{Website: w.own(website("w")).ID, AnonymousIDs: []string{"visitor late"}})
	if err != nil || removed["events"] != 1 {
		t.Errorf("ErasePerson = %v, %v; want one event", removed, err)
	}
	w.want("erased a person", late, func(*schema.DayTable) bool { return false })
	w.want("erased a person", early, func(t *schema.DayTable) bool { return t.Kinds || t.Stays })
	w.erase(website("w"), 0)
	w.want("erased", early, func(*schema.DayTable) bool { return false })
}

type dayTables struct{ *trial }

// counts returns the number of rows of a day in each day table.
func (w *dayTables) counts(s store.Store, days int) map[string]int64 {
	w.Helper()
	d, found := s.Dialect(), map[string]int64{}
	number := midnight.AddDate(0, 0, -days).Unix() / 86_400
	for _, t := range schema.DayTables() {
		rows, err := s.Query(w.Context(), store.Statement{
			Label: "storetest " + t.Name, Kinds: []dialect.Kind{dialect.Int},
			SQL: "SELECT " + d.Call(dialect.Count) + " FROM " + t.Name + " AS k WHERE k.subject = " +
				d.Arg("of", dialect.Subject) + " AND k." + t.Day + " >= " + strconv.FormatInt(t.At(number), 10) +
				" AND k." + t.Day + " < " + strconv.FormatInt(t.At(number+1), 10),
			Args: []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: w.own(website("w"))}}})
		if err != nil {
			w.Fatalf("reading %s: %v", t.Name, err)
		}
		found[t.Name] = rows.Columns[0].Ints[0]
	}
	return found
}

// want checks which day tables have rows of a day.
func (w *dayTables) want(when string, days int, filled func(*schema.DayTable) bool) {
	w.Helper()
	found := w.counts(w.store, days)
	for _, t := range schema.DayTables() {
		if got, want := found[t.Name] > 0, filled(&t); got != want {
			w.Errorf("%s, %d days ago: the table %s has rows: %t, want %t", when, days, t.Name, got, want)
		}
	}
}

// keepsAll checks that a backup, Purge and a restart keep all rows of the day tables.
func (w *dayTables) keepsAll(days ...int) {
	w.Helper()
	same := func(what string, s store.Store, before map[int]map[string]int64) {
		for day, want := range before {
			if got := w.counts(s, day); !maps.Equal(got, want) {
				w.Errorf("%s, %d days ago: the day tables have %v rows, want %v", what, day, got, want)
			}
		}
	}
	before := map[int]map[string]int64{}
	for _, day := range days {
		before[day] = w.counts(w.store, day)
	}
	if b, ok := w.store.(interface {
		Backup(ctx context.Context, path string, moment func() error) error
	}); ok && w.harness.Create != nil {
		path := filepath.Join(w.TempDir(), "backup")
		if err := b.Backup(w.Context(), path, func() error { return nil }); err != nil {
			w.Fatalf("Backup: %v", err)
		}
		same("backup", w.harness.Open(w.T, path, w.clock), before)
	}
	if err := interfaceOf[store.Purger](w.trial).Purge(w.Context()); err != nil {
		w.Fatalf("Purge: %v", err)
	}
	same("purged", w.store, before)
	if w.harness.Create != nil {
		w.reopen()
		same("opened again", w.store, before)
	}
}

// copied checks that a copy of the rows fills the same sealed tables.
func (w *dayTables) copied() {
	w.Helper()
	to := w.harness.open(w.T)
	mustCopy(w.T, w.store.(transfer.Source), to.(transfer.Target), transfer.Options{})
	e, err := query.New(query.Config{Store: to, Now: w.clock})
	if err != nil {
		w.Fatal(err)
	}
	from, until := midnight.AddDate(0, 0, -8), midnight.Add(24*time.Hour)
	if err := e.Seal(w.Context(), w.own(website("w")), from, until); err != nil {
		w.Fatalf("Seal: %v", err)
	}
	for _, t := range schema.SealedTables() {
		if got, want := w.counts(to, 0)[t.Name], w.counts(w.store, 0)[t.Name]; got != want || got == 0 {
			w.Errorf("copied: the table %s has %d rows, want %d", t.Name, got, want)
		}
	}
}
