package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// importCases returns the cases of store.Remover. [Orders] tests it with random rows.
func importCases() []contractCase {
	return []contractCase{
		{name: "the rows of one import are removed from every table, and no others", run: testImport,
			defends: "RemoveImport removes the rows of s that belong to this import alone and returns the number of removed rows by logical table"},
		{name: "event ids of a removed import can be written again", run: testImportForgets,
			defends: "RemoveImport forgets the event ids of removed rows"},
		{name: "a row that somebody else sent stays, whoever was first", run: testImportShared,
			defends: "a row that somebody else than an import sent, in whatever order, belongs to no import any more, and a row of several imports belongs to all of them"},
		{name: "a row can be claimed however old it is", run: testImportClaim,
			defends: "Claim notes that the rows of b were sent again; it stores no row and changes no version"},
		{name: "what is no id of an import is refused", run: testImportInvalid,
			defends: "the error wraps ErrInvalid if the id is not one of an import; then nothing is removed"},
		{name: "the versions of the days around grow, and their states are deleted", run: testImportDays,
			defends: "the versions of the days of removed rows and of those up to MaxAround around them grow; their states are deleted"},
		{name: "imports are known after a restart", restarts: true, run: testImportRestart,
			defends: "each row names the imports that sent it"},
		{name: "other goroutines write and read while an import is removed", run: testImportMeanwhile,
			defends: "RemoveImport works day by day, and writes and queries continue in between"},
	}
}

// sentBy returns rows in all tables, at noon of a day, with ids that begin with mark.
func sentBy(imports, mark string, days int) store.Batch {
	b := named("s")
	at := noon.AddDate(0, 0, -days)
	for _, t := range schema.Tables() {
		for item := range t.Len(&b) {
			r := schema.Row{Batch: &b, Item: item}
			t.SetImports(r, imports)
			t.Columns[0].SetText(r, fmt.Sprint(mark, item))
			t.Columns[1].SetNumber(r, store.Known(at.UnixMilli()))
		}
	}
	return b
}

// itemsSent is the number of items that sentBy returns, and rowsSent the rows that RemoveImport counts for them by kind
// of subject.
const itemsSent = 9

func rowsSent(kind store.SubjectKind, times int64) map[string]int64 {
	switch kind {
	case store.KindLink:
		return map[string]int64{"visits": times}
	case store.KindSchedule:
		return map[string]int64{"checks": times}
	}
	return map[string]int64{"events": 3 * times, "errors": times, "vitals": 2 * times, "spans": times, "blocked": times}
}

// removeImport takes an import back, and checks the number of removed rows.
func (w *trial) removeImport(id string, times int64) {
	w.Helper()
	for _, of := range []store.Subject{website("s"), link("s"), schedule("s")} {
		got, err := interfaceOf[store.Remover](w).RemoveImport(context.Background(), w.own(of), id)
		if diff := cmp.Diff(rowsSent(of.Kind, times), got); err != nil || diff != "" {
			w.Errorf("RemoveImport of %q of the %s: %v (-want +got):\n%s", id, of.Kind, err, diff)
		}
	}
}

// marks returns the event ids of the rows that are left in a table of the subjects s.
func (w *trial) marks(t schema.TableID) []string {
	w.Helper()
	return w.ids(t.String(), store.Subject{Kind: t.Of(), ID: "s"})
}

func (w *trial) wantMarks(when string, want ...string) {
	w.Helper()
	for _, t := range []schema.TableID{schema.Errors, schema.Spans, schema.Visits, schema.Checks, schema.Blocked} {
		if diff := cmp.Diff(want, w.marks(t)); diff != "" {
			w.Errorf("%s, the rows of %s that are left (-want +got):\n%s", when, t, diff)
		}
	}
}

func testImport(w *trial) {
	w.write(sentBy("imp_a", "a", 0), itemsSent, 0)
	w.write(sentBy("imp_a", "b", 40), itemsSent, 0)
	w.write(sentBy("", "c", 0), itemsSent, 0)
	w.write(sentBy("imp_b", "d", 0), itemsSent, 0)
	w.write(sentBy("imp_aa", "e", 0), itemsSent, 0)
	w.removeImport("imp_c", 0)
	w.removeImport("imp_a", 2)
	w.wantMarks("after the first", "c0", "d0", "e0")
	w.removeImport("imp_a", 0)
	w.removeImport("imp_b", 1)
	w.wantMarks("after the second", "c0", "e0")
}

func testImportForgets(w *trial) {
	w.write(sentBy("imp_a", "a", 0), itemsSent, 0)
	w.removeImport("imp_a", 1)
	w.write(sentBy("imp_b", "a", 0), itemsSent, 0)
	w.write(sentBy("imp_b", "a", 0), 0, itemsSent)
	w.removeImport("imp_b", 1)
}

func testImportShared(w *trial) {
	w.write(sentBy("", "a", 0), itemsSent, 0)
	w.write(sentBy("imp_a", "a", 0), 0, itemsSent) // tracked before
	w.write(sentBy("imp_a", "b", 0), itemsSent, 0)
	w.write(sentBy("", "b", 0), 0, itemsSent) // tracked afterwards
	w.write(sentBy("imp_a", "c", 0), itemsSent, 0)
	w.write(sentBy("imp_b", "c", 0), 0, itemsSent) // of two imports
	w.write(sentBy("imp_a", "d", 0), itemsSent, 0)
	w.write(sentBy("imp_a", "d", 0), 0, itemsSent) // sent twice by one
	both := sentBy("imp_a", "e", 0)
	tracked := sentBy("", "e", 0)
	both.Append(&tracked) // in one batch
	w.write(both, itemsSent, itemsSent)
	w.removeImport("imp_a", 1)
	w.wantMarks("after the first", "a0", "b0", "c0", "e0")
	w.removeImport("imp_b", 1)
	w.wantMarks("after the second", "a0", "b0", "e0")
}

func testImportClaim(w *trial) {
	w.write(sentBy("imp_a", "a", 90), itemsSent, 0)
	w.write(sentBy("imp_a", "b", 90), itemsSent, 0)
	version := uint64(0)
	if w.versioned() {
		version = w.version(website("s"), midnight.AddDate(0, 0, -91), noon)
	}
	claim := func(b store.Batch) {
		w.Helper()
		if err := interfaceOf[store.Remover](w).Claim(context.Background(), prefixed(&b, w.prefix)); err != nil {
			w.Errorf("Claim: %v", err)
		}
	}
	claim(sentBy("imp_b", "a", 90))
	claim(sentBy("", "b", 90))
	claim(sentBy("imp_b", "nothing", 90))
	claim(store.Batch{})
	w.wantMarks("after claims", "a0", "b0")
	if w.versioned() {
		if now := w.version(website("s"), midnight.AddDate(0, 0, -91), noon); now != version {
			w.Errorf("the version after claims is %d, %d before", now, version)
		}
	}
	w.removeImport("imp_a", 0)
	w.removeImport("imp_b", 1)
	w.wantMarks("in the end", "b0")
}

func testImportInvalid(w *trial) {
	w.write(sentBy("", "a", 0), itemsSent, 0)
	for _, id := range []string{"", "imp_a imp_b", fmt.Sprintf("%065d", 0)} {
		if removed, err := interfaceOf[store.Remover](w).RemoveImport(context.Background(), w.own(website("s")),
			id); !errors.Is(err, store.ErrInvalid) {
			w.Errorf("RemoveImport of %q = %v, %v; want store.ErrInvalid", id, removed, err)
		}
	}
	w.wantMarks("afterwards", "a0")
}

func testImportDays(w *trial) {
	if _, keeps := w.store.(store.StateKeeper); !keeps || !w.versioned() {
		w.Skip("the store does not implement store.StateKeeper and store.DayLister")
	}
	of := []int{0, 12, 13, 27, 28}
	version := func(days int) uint64 {
		start := midnight.AddDate(0, 0, -days)
		return w.version(website("w"), start, start.Add(day))
	}
	before := map[int]uint64{}
	for _, days := range of {
		w.write(dayBefore(days, fmt.Sprint("state", days)), 1, 0)
		w.saveStates(w.state(1, days, 5, "x"))
	}
	b := dayBefore(20, "imported")
	b.Events[0].Imports = "imp_a"
	w.write(b, 1, 0)
	for _, days := range of {
		before[days] = version(days)
	}
	if _, err := interfaceOf[store.Remover](w).RemoveImport(context.Background(), w.own(website("w")),
		"imp_a"); err != nil {
		w.Fatal(err)
	}
	w.wantStates(w.statesOf("w", []int64{1}, 60, 0), `1 0: 5 "x"`, `1 12: 5 "x"`, `1 28: 5 "x"`)
	for _, days := range of {
		if grew := version(days) > before[days]; grew != (days == 13 || days == 27) {
			w.Errorf("the version of %s grew: %t", midnight.AddDate(0, 0, -days).Format(time.DateOnly), grew)
		}
	}
}

func testImportRestart(w *trial) {
	w.write(sentBy("imp_a", "a", 0), itemsSent, 0)
	w.write(sentBy("imp_a", "b", 0), itemsSent, 0)
	w.write(sentBy("", "b", 0), 0, itemsSent)
	w.reopen()
	w.write(sentBy("imp_b", "a", 0), 0, itemsSent)
	w.reopen()
	w.removeImport("imp_a", 0)
	w.removeImport("imp_b", 1)
	w.reopen()
	w.wantMarks("after a restart", "b0")
	found := w.column("errors", schema.Imports, dialect.Text, website("s"))
	if diff := cmp.Diff([]string{""}, found.Texts); diff != "" {
		w.Errorf("the imports that are left (-want +got):\n%s", diff)
	}
}

func testImportMeanwhile(w *trial) {
	w.write(sentBy("imp_a", "a", 0), itemsSent, 0)
	w.write(sentBy("imp_a", "b", 3), itemsSent, 0)
	w.beside(func() { w.removeImport("imp_a", 2) })
	w.wantMarks("in the end")
}
