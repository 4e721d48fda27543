package storetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// An Inside gives [Erasing] access to what a store has beside its interfaces.
type Inside struct {
	// Dump returns the values of all cells of every table in the database's own list of tables, as texts. Required.
	Dump func(t *testing.T, s store.Store) map[string][]string
	// Folder returns the folder with the files of the store at an address, and no others. Nil means that there is none
	// to read; then bytes are not searched.
	Folder func(address string) string
}

// Erasing tests a store.PersonEraser and store.Purger with the dataset of a seed, whose days are sealed and whose
// states are stored. It erases three visitors, and tests that
//
//   - the numbers of removed rows are those of loops over the rows,
//   - no table in the database's own list has an id of theirs, neither as it was sent nor as a hash, and that a table that is
//     forgotten is noticed,
//   - the engine answers questions as the reference evaluator does from the rows that are left,
//   - no file has the bytes of an id after Purge, and the answers are the same after a restart,
//   - the engine erases a visitor from the totals of days whose rows were removed because of their age.
//
// Harness.Create is required.
func Erasing(t *testing.T, h Harness, in Inside, seed uint64, questions int) {
	address := h.create(t)
	s := h.Open(t, address, time.Now)
	eraser, erases := s.(store.PersonEraser)
	purger, purges := s.(store.Purger)
	sealer, seals := s.(derivedStore)
	if !erases || !purges || !seals {
		t.Fatalf("%T must implement store.PersonEraser, store.Purger and store.Deriver", s)
	}
	asked := append(evenQuestions(seed, questions), slices.Collect(firstOf(asking(seed, ""), questions/4))...)
	runner := newEngineRunner(t, query.Config{Store: s}, rows)
	h.fillAndSeal(t, s, sealer, seed, sealing{share: 0.9, most: 30, again: afterOthers, store: true},
		func() { runner.warm(t, slices.Values(asked)) })
	w := dataset.New(seed)
	data, err := withoutRepeats(&w.Batch)
	if err != nil {
		t.Fatal(err)
	}
	persons := personsOf(data)
	traces := tracesOf(t, s, persons)
	before := in.Dump(t, s)
	for _, p := range persons {
		var want map[string]int64
		data, want = withoutPerson(data, p)
		got, err := eraser.ErasePerson(t.Context(), p)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("ErasePerson of %+v: %v (-want +got):\n%s", p, err, diff)
		}
		mustHaveNoStates(t, s, p, w.Batch.Events)
	}
	traces.mustBeGone(t, before, in.Dump(t, s))
	agrees := func(when string, asked []reference.Question) {
		t.Helper()
		runner.restart(t)
		found, err := compareReference(t.Context(), runner, reference.NewData(*data), slices.Values(asked), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range found.differ {
			t.Errorf("%s: %s", when, text)
		}
	}
	agrees("after erasing", asked)
	if in.Folder != nil && !traces.inFiles(t, in.Folder(address)) {
		t.Error("before Purge no file has the bytes of an erased id; this test cannot notice them then")
	}
	if err := purger.Purge(t.Context()); err != nil {
		t.Fatalf("Purge: %v", err)
	}
	if in.Folder != nil && traces.inFiles(t, in.Folder(address)) {
		t.Error("after Purge a file has the bytes of an erased id")
	}
	mustClose(t, s)
	runner = newEngineRunner(t, query.Config{Store: h.Open(t, address, time.Now)}, rows)
	agrees("after Purge and a restart", asked[:len(asked)/2])
	t.Run("totals of removed days", func(t *testing.T) { erasingTotals(t, h, seed) })
}

// personsOf returns three persons with rows in most tables, two visitors and a profile, on each website that has their
// id. It leaves out ids that are also part of another id, and short ids, which other texts may contain.
func personsOf(b *store.Batch) (persons []store.Person) {
	type owner struct {
		profile bool
		id      string
	}
	tables, rows, websites := map[owner]map[schema.TableID]bool{}, map[owner]int{}, map[owner]map[string]bool{}
	identities(b, func(table schema.TableID, website string, i store.Identity) {
		for _, of := range []owner{{false, i.AnonymousID}, {true, i.ProfileID}} {
			if tables[of] == nil {
				tables[of], websites[of] = map[schema.TableID]bool{}, map[string]bool{}
			}
			tables[of][table], websites[of][website] = true, true
			rows[of]++
		}
	})
	all := slices.SortedFunc(maps.Keys(rows), func(a, b owner) int {
		return cmp.Or(cmp.Compare(len(tables[b]), len(tables[a])), cmp.Compare(rows[b], rows[a]),
			cmp.Compare(a.id, b.id))
	})
	for _, profile := range []bool{false, true, false} {
		i := slices.IndexFunc(all, func(of owner) bool {
			return of.profile == profile && len(of.id) >= 4 &&
				!slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(other owner) bool {
					return other != of && strings.Contains(other.id, of.id)
				})
		})
		if i < 0 {
			return nil
		}
		for _, website := range slices.Sorted(maps.Keys(websites[all[i]])) {
			p := store.Person{Website: website, AnonymousIDs: []string{all[i].id}}
			if profile {
				p = store.Person{Website: website, ProfileIDs: []string{all[i].id}}
			}
			persons = append(persons, p)
		}
		all = slices.Delete(all, i, i+1)
	}
	return persons
}

// identities calls visit for the identity of every item of a person's tables.
func identities(b *store.Batch, visit func(schema.TableID, string, store.Identity)) {
	for i := range b.Events {
		visit(schema.Events, b.Events[i].Website, b.Events[i].Identity)
	}
	for i := range b.Errors {
		visit(schema.Errors, b.Errors[i].Website, b.Errors[i].Identity)
	}
	for i := range b.Vitals {
		visit(schema.Vitals, b.Vitals[i].Website, b.Vitals[i].Identity)
	}
	for i := range b.Spans {
		visit(schema.Spans, b.Spans[i].Website, b.Spans[i].Identity)
	}
}

// hasID reports whether a row has an id of p.
func hasID(p store.Person, website string, i store.Identity) bool {
	return website == p.Website &&
		(slices.Contains(p.AnonymousIDs, i.AnonymousID) || slices.Contains(p.ProfileIDs, i.ProfileID))
}

// withoutPerson returns the rows that are left when p is erased, and the numbers of the others.
func withoutPerson(b *store.Batch, p store.Person) (*store.Batch, map[string]int64) {
	sessions := map[string]bool{}
	identities(b, func(_ schema.TableID, website string, i store.Identity) {
		if hasID(p, website, i) && i.SessionID != "" {
			sessions[i.SessionID] = true
		}
	})
	removed := map[string]int64{}
	goes := func(table schema.TableID, website string, i store.Identity, rows int) bool {
		all := hasID(p, website, i) || website == p.Website && i.Visitor() == "" && sessions[i.SessionID]
		n := removed[table.String()]
		if all {
			n += int64(rows)
		}
		removed[table.String()] = n
		return all
	}
	left := *b
	left.Events = slices.DeleteFunc(slices.Clone(b.Events),
		func(e store.Event) bool { return goes(schema.Events, e.Website, e.Identity, 1) })
	left.Errors = slices.DeleteFunc(slices.Clone(b.Errors),
		func(e store.Error) bool { return goes(schema.Errors, e.Website, e.Identity, 1) })
	left.Vitals = slices.DeleteFunc(slices.Clone(b.Vitals),
		func(v store.Vital) bool { return goes(schema.Vitals, v.Website, v.Identity, len(v.Samples)) })
	left.Spans = slices.DeleteFunc(slices.Clone(b.Spans),
		func(s store.Span) bool { return goes(schema.Spans, s.Website, s.Identity, 1) })
	return &left, removed
}

// traces are texts that no cell may contain, and numbers that no cell may be.
type traces struct {
	texts   []string
	numbers map[string]bool
}

// tracesOf returns the ids of persons and their hashes in the store.
func tracesOf(t *testing.T, s store.Store, persons []store.Person) *traces {
	t.Helper()
	found := &traces{numbers: map[string]bool{}}
	d := s.Dialect()
	for _, p := range persons {
		ids := slices.Concat(p.AnonymousIDs, p.ProfileIDs)
		found.texts = append(found.texts, ids...)
		got, err := s.Query(t.Context(), store.Statement{Label: "storetest hashes",
			SQL: "SELECT DISTINCT t.visitor_hash AS h FROM events AS t WHERE t.subject = " +
				d.Arg("of", dialect.Subject) +
				" AND " + d.Call(dialect.InList,
				d.Call(dialect.If, "(t.profile_id = '')", "t.anonymous_id", "t.profile_id"),
				d.Arg("ids", dialect.Texts)),
			Args: []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: website(p.Website)},
				{Name: "ids", Kind: dialect.Texts, Value: ids}},
			Kinds: []dialect.Kind{dialect.Int}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range got.Columns[0].Ints {
			found.numbers[strconv.FormatInt(n, 10)] = true
		}
	}
	found.texts = slices.Compact(found.texts) // the websites of a person follow each other
	if len(found.texts) != 3 || len(found.numbers) == 0 {
		t.Fatalf("the traces of persons are %+v", found)
	}
	return found
}

// in returns a cell with a trace, or an empty text.
func (f *traces) in(cells []string) string {
	for _, c := range cells {
		if f.numbers[c] {
			return "the hash " + c
		}
		for _, text := range f.texts {
			if strings.Contains(c, text) {
				return fmt.Sprintf("the id %q in %.200q", text, c)
			}
		}
	}
	return ""
}

// mustBeGone fails if a table has a trace after erasing. It also plants a mistake in each table that had some, and
// fails unless it notices that: the table is as it was before.
func (f *traces) mustBeGone(t *testing.T, before, after map[string][]string) {
	t.Helper()
	noticed := map[string]bool{}
	for table, cells := range after {
		if at := f.in(cells); at != "" {
			t.Errorf("after erasing, the table %s has %s", table, at)
		}
	}
	for table, cells := range before {
		noticed[table] = f.in(cells) != ""
	}
	for _, sealed := range schema.SealedTables() {
		if !noticed[sealed.Name] {
			t.Errorf("the search does not notice that the table %s is forgotten", sealed.Name)
		}
	}
	for _, table := range []schema.TableID{schema.Events, schema.Errors, schema.Vitals, schema.Spans} {
		if !noticed[table.String()] {
			t.Errorf("the search does not notice that the table %s is forgotten", table)
		}
	}
	if len(after) < len(before) {
		t.Errorf("there are %d tables after erasing, %d before", len(after), len(before))
	}
}

// inFiles reports whether a file of folder has the bytes of a text.
func (f *traces) inFiles(t *testing.T, folder string) (found bool) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.IsDir() {
			continue // the folder of temporary files
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range f.texts {
			if bytes.Contains(content, []byte(text)) {
				t.Logf("%s has %q", filepath.Base(name), text)
				found = true
			}
		}
	}
	return found
}

// mustHaveNoStates fails if a state of a day around rows of p is stored.
func mustHaveNoStates(t *testing.T, s store.Store, p store.Person, events []store.Event) {
	t.Helper()
	keeper, keeps := s.(store.StateKeeper)
	if !keeps {
		return
	}
	states, err := keeper.States(context.Background(), website(p.Website))
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		e := &events[i]
		start := e.Time.UTC().Truncate(day)
		if hasID(p, e.Website, e.Identity) &&
			slices.ContainsFunc(states,
				func(one store.State) bool { return one.Day.Sub(start).Abs() <= store.MaxAround*day }) {
			t.Fatalf("a state of a day around %s, on which a person was erased, is stored", start.Format(time.DateOnly))
		}
	}
}
