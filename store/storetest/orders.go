package storetest

import (
	"bytes"
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

// Orders tests that an answer depends on the rows and on the question, and on nothing that was asked or done before. It lives random lives
// of a website: questions in random order are asked again and again, while days are sealed, rows come late, persons are erased, rows of
// old days are removed (in some lives after totals were made), and engines and the store start again. It compares each answer with that
// of package reference about the rows that are left, or about all rows if the answer is merged from totals.
//
// Then it plants each of several mistakes in the store, and fails unless the same run notices it; see Harness.NoMistakes.
func Orders(t *testing.T, h Harness, run RandomRun) {
	t.Run("answers", func(t *testing.T) {
		asked := 0
		for seed := run.Seed; asked < run.Questions; seed++ {
			l := newLife(t, h, seed, nil)
			l.live(min(perLife, run.Questions-asked))
			asked += l.asked
			if len(l.wrong) > 0 {
				t.Fatalf("life %d: %s\nbefore:\n%s", seed, l.wrong[0], strings.Join(l.done[max(0, len(l.done)-60):], "\n"))
			}
		}
		t.Logf("%d questions, lives from %d on, no difference", asked, run.Seed)
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

// nights tests answers about sessions that begin before the border of removal and go on after it.
func nights(t *testing.T, h Harness, totals bool) {
	l := &life{t: t, harness: h, rng: rand.New(rand.NewPCG(1, 2)), of: website("w"), first: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	l.now, l.address = l.first.AddDate(0, 0, 40), h.create(t)
	l.open()
	border, b := l.first.AddDate(0, 0, 10), store.Batch{}
	add := func(session, country, path string, at time.Time) {
		b.Events = append(b.Events, store.Event{Website: "w", ID: fmt.Sprint(len(b.Events)), Name: "screen_view", Time: at, Path: path,
			Identity: store.Identity{AnonymousID: session, SessionID: session}, Agent: store.Agent{Country: country}})
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
			StartDate: border.AddDate(0, 0, from).Format(time.DateOnly), EndDate: border.AddDate(0, 0, to).Format(time.DateOnly)}
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
	if got := sessions(); !strings.Contains(got, want) || !strings.Contains(got, `"US","country_name"`) || strings.Contains(got, "Germany") {
		t.Errorf("about the days that are left: %s, want %s, and the US alone", got, want)
	}
	if totals {
		l.start()
		ask("country", "Asia/Kathmandu", 0, 10)
		ask("country", "Asia/Kathmandu", 0, 9)
		if got, want := ask("country", "UTC", -9, 10), `"name":"Germany","pageviews":10,`; !strings.Contains(got, want) {
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
		{"removals do not show in versions", func(s expirerStore) expirerStore { return &unremoved{s, map[int64]store.Day{}} }},
		{"days are not marked as removed", func(s expirerStore) expirerStore { return unmarked{s} }},
		{"old states count as new", func(s expirerStore) expirerStore { return evergreen{s} }},
		{"late rows do not show in versions", func(s expirerStore) expirerStore { return &frozen{s, map[int64]uint64{}} }},
		{"states are those of the day before", func(s expirerStore) expirerStore { return shifted{s} }},
	}
}

// unremoved is a store whose days have the versions and marks from before their rows were removed.
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

// newer is added to the versions of states that are not totals.
const newer = 1 << 60

func (evergreen) age(states []store.State) []store.State {
	for i := range states {
		if states[i].Version < newer {
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
func (e evergreen) LoadStates(ctx context.Context, s store.Subject, names []int64, from, to time.Time) ([]store.State, error) {
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
func (x shifted) LoadStates(ctx context.Context, s store.Subject, names []int64, from, to time.Time) ([]store.State, error) {
	states, err := x.expirerStore.LoadStates(ctx, s, names, from, to)
	last := map[int64][]byte{}
	slices.SortStableFunc(states, func(a, b store.State) int { return a.Day.Compare(b.Day) })
	for i, one := range states {
		if before, ok := last[one.Name]; ok {
			states[i].Bytes = before
		}
		last[one.Name] = one.Bytes
	}
	return states, err
}

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

	questions []reference.Question
	data      *reference.Data // of left; nil: not computed since it changed
	all       *reference.Data // of left and gone
	asked     int
	wrong     []string
	done      []string
}

func newLife(t *testing.T, h Harness, seed uint64, over func(expirerStore) expirerStore) *life {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 61))
	l := &life{t: t, harness: h, rng: rng, of: website("w"), first: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), totals: seed%2 == 0, over: over}
	l.now, l.border = l.first.AddDate(0, 0, 40), l.first
	l.address = h.create(t)
	l.open()
	rows := nightRows(rng, l.first)
	keep := rows[:0:0]
	for _, e := range rows {
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

// nightRows returns the pageviews, exits and custom events of some days. Half of the sessions go on after midnight in UTC, some of them
// on several days.
func nightRows(rng *rand.Rand, first time.Time) (rows []store.Event) {
	countries, paths, browsers := []string{"DE", "US", "FR", ""}, []string{"/a", "/b", "/c"}, []string{"Chrome", "Firefox"}
	for day := range lifeDays {
		for n := range 3 + rng.IntN(4) {
			session, visitor := fmt.Sprintf("s%d-%d", day, n), fmt.Sprintf("v%d", rng.IntN(12))
			at := first.AddDate(0, 0, day).Add(time.Duration(rng.IntN(24*60)) * time.Minute)
			if rng.IntN(2) == 0 {
				at = first.AddDate(0, 0, day+1).Add(-time.Duration(1+rng.IntN(90)) * time.Minute)
			}
			for i := range 1 + rng.IntN(4) {
				e := store.Event{Website: "w", ID: fmt.Sprintf("%s-%d", session, i), Name: "screen_view", Time: at, Path: paths[rng.IntN(3)],
					Identity: store.Identity{AnonymousID: visitor, SessionID: session},
					Agent:    store.Agent{Country: countries[rng.IntN(4)], BrowserName: browsers[rng.IntN(2)], DeviceType: "desktop"}}
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
		return ty.Kind != store.KindWebsite || ty.Window != reference.Range || ty.NeedsSession || ty.Name == "blocked_traffic" ||
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
	if l.rng.IntN(4) == 0 {
		q.Filters = []reference.Filter{{Field: "country", Op: []string{"eq", "ne"}[l.rng.IntN(2)], Values: []string{"DE"}}}
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
	e, err := query.New(query.Config{Store: l.store, Now: func() time.Time { return l.now }, ResultCache: remember})
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
		{"rebuild", func() error { _, err := l.engine.RebuildSeals(ctx, l.of, from, to); return err }},
		{"start an engine", func() error { l.start(); return nil }},
		{"start the store", l.reopen},
		{"late rows", l.writeLate},
		{"late rows", l.writeLate},
		{"erase a person", l.erase},
		{"remove a day", l.remove},
		{"remove a day", l.remove},
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

// remove removes the rows of the next days.
func (l *life) remove() error {
	if l.border.After(l.first.AddDate(0, 0, lifeDays-5)) {
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
	report, err := l.engine.VerifySeals(l.t.Context(), l.of, l.first.AddDate(0, 0, -3), l.first.AddDate(0, 0, lifeDays+5))
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
		l.wrong = append(l.wrong, fmt.Sprintf("%v: a note says that rows are missing: %t, want %t", q, got.lacks, !complete))
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

// expected returns the rows that an answer has to have, whether it counts removed days, and whether it has all of their rows.
func (l *life) expected(q reference.Question, got lifeAnswer) (want []byte, expired, complete bool) {
	l.t.Helper()
	from, _ := l.utcDays(q)
	expired = from.Before(l.border) && !l.border.Equal(l.first) && l.endsAfter(q, l.first)
	if expired && l.totals && l.fromTotals(q) {
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
