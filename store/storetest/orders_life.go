package storetest

import (
	"bytes"
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

// A life is a website whose rows come, stay and go while questions are asked.
type life struct {
	t       *testing.T
	harness Harness
	rng     *rand.Rand
	of      store.Subject
	now     time.Time // when all questions are asked
	first   time.Time // the first day with rows

	address string
	store   expirerStore
	over    func(expirerStore) expirerStore // plants a mistake; nil: none
	engine  *query.Engine

	left   []store.Event // the rows in the store
	gone   []store.Event // removed rows of which there are totals
	late   []store.Event // not written yet
	border time.Time     // rows before it were removed
	totals bool          // rows are removed after totals were made
	cut    bool          // totals of the days after the border are gone, those of removed days end within sessions

	questions []reference.Question
	data      *reference.Data // of left; nil: not computed since it changed
	all       *reference.Data // of left and gone
	asked     int
	taken     int // rows of imports that were taken back
	wrong     []string
	done      []string
}

func newLife(t *testing.T, h Harness, seed uint64, over func(expirerStore) expirerStore) *life {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 61))
	l := &life{t: t, harness: h, rng: rng, of: website("w"), first: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
		totals: seed%2 == 0, over: over}
	l.now, l.border = l.first.AddDate(0, 0, 40), l.first
	l.address = h.create(t)
	l.open()
	rows := nightRows(rng, l.first)
	keep := rows[:0:0]
	for _, e := range rows {
		e.Imports = l.importOf(e.Time)
		if rng.IntN(8) == 0 {
			l.late = append(l.late, e)
		} else {
			keep = append(keep, e)
		}
	}
	l.left = keep
	mustWrite(t, l.store, &store.Batch{Events: keep})
	for range 30 {
		l.questions = append(l.questions, l.question())
	}
	return l
}

// nightRows returns the pageviews, exits and custom events of some days. Half of the sessions continue after midnight
// in UTC, some of them on several days.
func nightRows(rng *rand.Rand, first time.Time) (rows []store.Event) {
	countries, paths, browsers := []string{"DE", "US", "FR", ""}, []string{"/a", "/b", "/c"},
		[]string{"Chrome", "Firefox"}
	for day := range lifeDays {
		for n := range 3 + rng.IntN(4) {
			session, visitor := fmt.Sprintf("s%d-%d", day, n), fmt.Sprintf("v%d", rng.IntN(12))
			at := first.AddDate(0, 0, day).Add(time.Duration(rng.IntN(24*60)) * time.Minute)
			if rng.IntN(2) == 0 {
				at = first.AddDate(0, 0, day+1).Add(-time.Duration(1+rng.IntN(90)) * time.Minute)
			}
			for i := range 1 + rng.IntN(4) {
				e := store.Event{Website: "w", ID: fmt.Sprintf("%s-%d", session, i), Name: "screen_view", Time: at,
					Path:     paths[rng.IntN(3)],
					Identity: store.Identity{AnonymousID: visitor, SessionID: session},
					Agent: store.Agent{Country: countries[rng.IntN(4)], BrowserName: browsers[rng.IntN(2)],
						DeviceType: "desktop"}}
				switch rng.IntN(6) {
				case 0:
					e.Kind, e.Name, e.TimeOnPage = store.Exit, "page_exit", store.Known(int64(1500+rng.IntN(90_000)))
				case 1:
					e.Kind, e.Name = store.Custom, "signup"
				}
				rows = append(rows, e)
				at = at.Add(time.Duration(1+rng.IntN(60)) * time.Minute)
				if rng.IntN(6) == 0 {
					at = at.Add(20 * time.Hour)
				}
			}
		}
	}
	return rows
}

// question returns a random question about some days.
func (l *life) question() reference.Question {
	types := slices.DeleteFunc(reference.Types(), func(ty reference.Type) bool {
		return ty.Kind != store.KindWebsite || ty.Window != reference.Range || ty.NeedsSession ||
			ty.Name == "blocked_traffic" ||
			strings.HasPrefix(ty.Name, "flag_")
	})
	from := l.rng.IntN(lifeDays+2) - 1
	q := reference.Question{
		Type: types[l.rng.IntN(len(types))].Name, Subject: l.of, Now: l.now,
		Zone:      []string{"UTC", "UTC", "Asia/Kathmandu", "America/New_York"}[l.rng.IntN(4)],
		StartDate: l.first.AddDate(0, 0, from).Format(time.DateOnly),
		EndDate:   l.first.AddDate(0, 0, from+l.rng.IntN(9)).Format(time.DateOnly),
	}
	if l.rng.IntN(3) == 0 {
		q.Type = []string{"country", "entry_pages", "exit_pages", "summary_metrics", "browsers_grouped"}[l.rng.IntN(5)]
	}
	if l.rng.IntN(4) == 0 && !strings.HasPrefix(q.Type, "blocked_traffic") { // which has no countries
		q.Filters = []reference.Filter{{Field: "country", Op: []string{"eq", "ne"}[l.rng.IntN(2)],
			Values: []string{"DE"}}}
	}
	return q
}

// open opens the store, and starts an engine.
func (l *life) open() {
	l.t.Helper()
	s, ok := l.harness.Open(l.t, l.address, func() time.Time { return l.now }).(expirerStore)
	if !ok {
		l.t.Skip("not tested: the store does not implement store.Expirer and all interfaces for totals")
	}
	if l.over != nil {
		s = l.over(s)
	}
	l.store = s
	l.start()
}

// start starts an engine without anything in memory. One in two remembers answers.
func (l *life) start() {
	l.t.Helper()
	l.engine = l.newEngine([]int64{0, -1}[l.rng.IntN(2)])
}

func (l *life) newEngine(remember int64) *query.Engine {
	l.t.Helper()
	e, err := query.New(query.Config{Store: l.store, Now: func() time.Time { return l.now },
		EngineOptions: query.EngineOptions{ResultCache: remember}})
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

// live asks so many questions, and does something else before one in five of them.
func (l *life) live(questions int) {
	l.t.Helper()
	for l.asked < questions && len(l.wrong) == 0 {
		if l.rng.IntN(5) == 0 {
			l.act()
		}
		q := l.questions[l.rng.IntN(len(l.questions))]
		for range 1 + l.rng.IntN(3) { // the second is merged
			l.check(q)
			if err := l.engine.Wait(l.t.Context()); err != nil {
				l.t.Fatal(err)
			}
		}
	}
}

// act does something that must not change answers, or changes the rows.
func (l *life) act() {
	l.t.Helper()
	ctx := l.t.Context()
	from, to := l.first.AddDate(0, 0, -3), l.first.AddDate(0, 0, lifeDays+5)
	actions := []struct {
		name string
		do   func() error
	}{
		{"seal all", func() error { return query.NewSealer(l.engine).Finish(ctx) }},
		{"seal some", func() error {
			at := l.first.AddDate(0, 0, l.rng.IntN(lifeDays))
			return l.engine.Reseal(ctx, l.of, at, at.AddDate(0, 0, 1+l.rng.IntN(4)))
		}},
		{"store partials", func() error { return l.engine.StorePartials(ctx, l.of, from, to) }},
		{"rebuild", func() error {
			_, err := l.engine.RebuildSeals(ctx, l.of, from, to)
			return err
		}},
		{"start an engine", func() error {
			l.start()
			return nil
		}},
		{"start the store", l.reopen},
		{"late rows", l.writeLate},
		{"late rows", l.writeLate},
		{"erase a person", l.erase},
		{"remove a day", l.remove},
		{"remove a day", l.remove},
		{"send rows again", l.sendAgain},
		{"take back an import", l.takeBack},
		{"take back an import", l.takeBack},
		{"take back an import", l.takeBack},
		{"verify", l.verify},
	}
	one := actions[l.rng.IntN(len(actions))]
	l.done = append(l.done, one.name)
	if err := one.do(); err != nil {
		l.t.Fatalf("%s: %v", one.name, err)
	}
}

// reopen closes the store and opens it again.
func (l *life) reopen() error {
	if l.harness.Create == nil || l.over != nil { // a mistaken store knows what it saw
		l.start()
		return nil
	}
	mustClose(l.t, l.store)
	l.open()
	return nil
}

// quiet is the number of days after the border that totals of removed days depend on.
const quiet = 6

// writeLate writes some of the late rows that no totals need.
func (l *life) writeLate() error {
	var some []store.Event
	l.late = slices.DeleteFunc(l.late, func(e store.Event) bool {
		from := l.border
		if l.totals && !l.border.Equal(l.first) {
			from = l.border.AddDate(0, 0, quiet)
		}
		take := !e.Time.Before(from) && l.rng.IntN(4) == 0
		if take {
			some = append(some, e)
		}
		return take
	})
	if len(some) == 0 {
		return nil
	}
	l.left = append(l.left, some...)
	l.changed()
	_, err := l.store.Write(l.t.Context(), &store.Batch{Events: some})
	return err
}

// erase erases a person, unless totals count it.
func (l *life) erase() error {
	if _, erases := l.store.(store.PersonEraser); !erases || l.totals {
		return nil
	}
	visitor := fmt.Sprintf("v%d", l.rng.IntN(12))
	l.left = slices.DeleteFunc(slices.Clone(l.left), func(e store.Event) bool { return e.AnonymousID == visitor })
	l.changed()
	_, err := l.engine.ErasePerson(l.t.Context(), store.Person{Website: "w", AnonymousIDs: []string{visitor}})
	return err
}

// importOf returns the import of a new row; empty if the row is tracked. In lives with totals the imports have days of
// their own, so that the later one can be taken back while there are totals of the first days.
func (l *life) importOf(at time.Time) string {
	imports := []string{"", "imp_a", "imp_b"}
	if !l.totals {
		return imports[l.rng.IntN(len(imports))]
	}
	if l.rng.IntN(3) == 0 {
		return ""
	}
	if at.Before(l.first.AddDate(0, 0, lifeDays-4)) {
		return imports[1]
	}
	return imports[2]
}

// sendAgain sends some of the rows again, as tracking or as an import: to Write or to Claim.
func (l *life) sendAgain() error {
	remover, removes := l.store.(store.Remover)
	if !removes {
		return nil
	}
	var again store.Batch
	for i := range l.left {
		e := &l.left[i]
		if l.rng.IntN(10) > 0 {
			continue
		}
		sent := *e
		sent.Imports = l.importOf(e.Time)
		again.Events = append(again.Events, sent)
		switch {
		case e.Imports == "" || sent.Imports == "":
			e.Imports = ""
		case !strings.Contains(e.Imports, sent.Imports):
			e.Imports += " " + sent.Imports
		}
	}
	if l.rng.IntN(2) == 0 {
		return remover.Claim(l.t.Context(), &again)
	}
	written, err := l.store.Write(l.t.Context(), &again)
	if err == nil && written.Stored > 0 {
		err = fmt.Errorf("%d rows were stored again", written.Stored)
	}
	return err
}

// takeBack takes an import back, unless totals depend on its rows. Totals of the days near the border go with it.
func (l *life) takeBack() error {
	if _, removes := l.store.(store.Remover); !removes {
		return nil
	}
	id := []string{"imp_a", "imp_b"}[l.rng.IntN(2)]
	from := l.border
	if l.totals && !l.border.Equal(l.first) {
		from = l.border.AddDate(0, 0, quiet)
	}
	alone := func(e store.Event) bool { return e.Imports == id }
	if slices.ContainsFunc(l.left, func(e store.Event) bool { return alone(e) && e.Time.Before(from) }) {
		return nil
	}
	before := len(l.left)
	l.left = slices.DeleteFunc(slices.Clone(l.left), alone)
	for i := range l.left {
		if others, ok := strings.CutPrefix(l.left[i].Imports, id+" "); ok {
			l.left[i].Imports = others
		} else {
			l.left[i].Imports = strings.TrimSuffix(l.left[i].Imports, " "+id)
		}
	}
	l.changed()
	removed, err := l.engine.RemoveImport(l.t.Context(), l.of, id)
	if want := int64(before - len(l.left)); err == nil && removed["events"] != want && l.over == nil {
		err = fmt.Errorf("%s had %d rows, want %d", id, removed["events"], want)
	}
	l.taken += before - len(l.left)
	l.cut = l.cut || l.totals && !l.border.Equal(l.first) && len(l.left) < before
	return err
}

// remove removes the rows of the next days. Sessions on both sides of the border would count twice if totals of the
// days after it were made again.
func (l *life) remove() error {
	if l.cut || l.border.After(l.first.AddDate(0, 0, lifeDays-5)) {
		return nil
	}
	l.border = l.border.AddDate(0, 0, 1+l.rng.IntN(2))
	l.done = append(l.done, fmt.Sprintf("remove days before %s, totals %t", l.border.Format(time.DateOnly), l.totals))
	l.left = slices.DeleteFunc(slices.Clone(l.left), func(e store.Event) bool {
		old := e.Time.Before(l.border)
		if old && l.totals {
			l.gone = append(l.gone, e)
		}
		return old
	})
	l.changed()
	_, err := l.engine.Expire(l.t.Context(), l.of, l.border, l.totals)
	return err
}

// verify compares all seals with the rows.
func (l *life) verify() error {
	report, err := l.engine.VerifySeals(l.t.Context(), l.of, l.first.AddDate(0, 0, -3),
		l.first.AddDate(0, 0, lifeDays+5))
	if len(report.Differences) > 0 {
		l.wrong = append(l.wrong, fmt.Sprintf("seals differ from the rows: %+v", report.Differences))
	}
	return err
}

func (l *life) changed() { l.data, l.all = nil, nil }

// check asks a question, and compares the answer with the one it has to be.
func (l *life) check(q reference.Question) {
	l.t.Helper()
	l.asked++
	got := l.ask(l.engine, q)
	want, expired, complete := l.expected(q, got)
	l.done = append(l.done, fmt.Sprintf("%v: merged %t", q, got.merged))
	switch {
	case got.fault != "":
		l.wrong = append(l.wrong, fmt.Sprintf("%v: %s", q, got.fault))
	case !bytes.Equal(got.rows, want):
		l.wrong = append(l.wrong, fmt.Sprintf("%v: %s", q, firstDifference(string(want), string(got.rows))))
	case got.expired != expired:
		l.wrong = append(l.wrong, fmt.Sprintf("%v: expiredBefore is set: %t, want %t", q, got.expired, expired))
	case expired && got.lacks == complete:
		l.wrong = append(l.wrong,
			fmt.Sprintf("%v: a note says that rows are missing: %t, want %t", q, got.lacks, !complete))
	}
}

// A lifeAnswer is an answer of an engine.
type lifeAnswer struct {
	rows    []byte
	merged  bool
	expired bool // it has expiredBefore
	lacks   bool // a note says that it counts only the rows that are left
	fault   string
}

func (l *life) ask(e *query.Engine, q reference.Question) (a lifeAnswer) {
	l.t.Helper()
	access, req := query.Access{Subject: l.of}, requestFor(q)
	shown, err := e.Explain(l.t.Context(), access, req)
	if err != nil {
		return lifeAnswer{fault: err.Error()}
	}
	resp, err := e.Run(l.t.Context(), access, req)
	if err != nil {
		return lifeAnswer{fault: err.Error()}
	}
	r := resp.Data[0]
	if !r.Success {
		return lifeAnswer{fault: withCause(r)}
	}
	a.merged, a.expired = shown[0].Source == query.Merged, r.Meta.ExpiredBefore != nil
	a.lacks = slices.ContainsFunc(r.Meta.Notes, saysRemoved)
	a.rows, err = rows(resp)
	if err != nil {
		a.fault = err.Error()
	}
	return a
}

// expected returns the rows that an answer has to have, whether it counts removed days, and whether it has all of their
// rows.
func (l *life) expected(q reference.Question, got lifeAnswer) (want []byte, expired, complete bool) {
	l.t.Helper()
	from, _ := l.utcDays(q)
	expired = from.Before(l.border) && !l.border.Equal(l.first) && l.endsAfter(q, l.first)
	if expired && l.totals && l.fromTotals(q) {
		if q.Zone == "UTC" && l.cut && got.lacks && l.endsAfter(q, l.border) {
			return l.reference(q, false), true, false
		}
		if q.Zone == "UTC" || !got.lacks {
			return l.reference(q, true), true, true
		}
		return l.ask(l.newEngine(-1), q).rows, true, false // the zone cuts a removed day
	}
	return l.reference(q, false), expired, false
}

// fromTotals reports whether answers of a type are merged from totals, as an engine that was never asked says.
func (l *life) fromTotals(q reference.Question) bool {
	l.t.Helper()
	shown, err := l.newEngine(-1).Explain(l.t.Context(), query.Access{Subject: l.of}, requestFor(q))
	if err != nil {
		l.t.Fatal(err)
	}
	return shown[0].Source == query.Merged
}

// utcDays returns the UTC days that the range of q touches.
func (l *life) utcDays(q reference.Question) (from, to time.Time) {
	l.t.Helper()
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		l.t.Fatal(err)
	}
	start, startErr := time.ParseInLocation(time.DateOnly, q.StartDate, zone)
	end, endErr := time.ParseInLocation(time.DateOnly, q.EndDate, zone)
	if startErr != nil || endErr != nil {
		l.t.Fatal(startErr, endErr)
	}
	return start.UTC().Truncate(day), end.AddDate(0, 0, 1).UTC()
}

func (l *life) endsAfter(q reference.Question, at time.Time) bool {
	_, to := l.utcDays(q)
	return to.After(at)
}

// reference returns the answer of package reference about the rows that are left, or about all rows.
func (l *life) reference(q reference.Question, all bool) []byte {
	l.t.Helper()
	data := &l.data
	events := l.left
	if all {
		data, events = &l.all, slices.Concat(l.left, l.gone)
	}
	if *data == nil {
		*data = reference.NewData(store.Batch{Events: events})
	}
	a, err := (*data).Compared(q)
	if err != nil {
		l.t.Fatalf("%v: %v", q, err)
	}
	return bytes.Join([][]byte{a.Rows, a.Previous, a.Changes, a.Totals}, []byte("\n"))
}
