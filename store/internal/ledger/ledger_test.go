package ledger_test

import (
	"database/sql/driver"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// tables are the rows of a store's tables.
type tables struct {
	version                  uint64
	subjects                 map[store.Subject]int64
	versions, seals, expired map[ledger.SubjectDay]uint64
}

// read reads the tables as a store does.
func (t *tables) read(query string, row func([]driver.Value) error) error {
	var all [][]driver.Value
	switch query {
	case "SELECT kind, id, number FROM subject_numbers":
		for of, number := range t.subjects {
			all = append(all, []driver.Value{string(of.Kind), of.ID, number})
		}
	case "SELECT subject, day, max(version), count(*) FROM versions GROUP BY subject, day ORDER BY subject, day":
		for of, version := range t.versions {
			all = append(all, []driver.Value{of.Subject, of.Day, int64(version), int64(1)})
		}
	case "SELECT subject, day, version FROM seals":
		for of, version := range t.seals {
			all = append(all, []driver.Value{of.Subject, of.Day, int64(version)})
		}
	case "SELECT subject, day, version FROM expired":
		for of, version := range t.expired {
			all = append(all, []driver.Value{of.Subject, of.Day, int64(version)})
		}
	default:
		return errors.New("unknown query: " + query)
	}
	for _, values := range all {
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

// days returns the days that a ledger must know of a subject.
func (t *tables) days(number int64) (all []store.Day) {
	for day := int64(-9); day < 9; day++ {
		of := ledger.SubjectDay{Subject: number, Day: day}
		if t.versions[of]+t.seals[of] > 0 {
			all = append(all, store.Day{Start: time.UnixMilli(day * schema.DayMillis).UTC(), Version: t.versions[of],
				Sealed: t.seals[of], Expired: t.expired[of]})
		}
	}
	return all
}

// Whatever a store does, its ledger says what a ledger says that is read from its tables.
func TestLedger(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 68))
	all := &tables{subjects: map[store.Subject]int64{}, versions: map[ledger.SubjectDay]uint64{},
		seals: map[ledger.SubjectDay]uint64{}, expired: map[ledger.SubjectDay]uint64{}}
	l := ledger.New()
	for step := range 1000 {
		number := 1 + random.Int64N(3)
		first := random.Int64N(14) - 7
		last := first + random.Int64N(3)
		of := ledger.SubjectDay{Subject: number, Day: first}
		inside := func(d ledger.SubjectDay, _ uint64) bool {
			return d.Subject == number && first <= d.Day && d.Day <= last
		}
		switch random.IntN(6) {
		case 0, 1: // a commit
			all.version++
			newcomers := map[store.Subject]int64{}
			subject := store.Subject{Kind: store.KindWebsite, ID: string(rune('a' + number))}
			if all.subjects[subject] == 0 {
				newcomers[subject] = number
			}
			maps.Copy(all.subjects, newcomers)
			all.versions[of] = all.version
			l.Publish(all.version, newcomers, []ledger.SubjectDay{of})
		case 2:
			for day := first; day <= last; day++ {
				all.seals[ledger.SubjectDay{Subject: number, Day: day}] = all.version + 1
			}
			l.Seal(number, first, last, all.version+1)
		case 3:
			maps.DeleteFunc(all.seals, inside)
			l.Unseal(number, first, last)
		case 4: // stores expire only days with rows
			if all.versions[of] == 0 {
				continue
			}
			complete := random.IntN(2) == 0
			if all.expired[of] = all.versions[of]; complete {
				delete(all.seals, of)
			}
			l.Expire(of, all.versions[of], complete)
		default:
			if random.IntN(20) > 0 {
				continue
			}
			ofNumber := func(d ledger.SubjectDay, _ uint64) bool { return d.Subject == number }
			maps.DeleteFunc(all.seals, ofNumber)
			maps.DeleteFunc(all.expired, ofNumber)
			l.Erase(number)
		}
		from, rows, err := ledger.Read(all.read)
		if err != nil || rows != int64(len(all.versions)) {
			t.Fatalf("Read: %d rows of versions, %v; want %d", rows, err, len(all.versions))
		}
		for _, known := range []*ledger.Ledger{l, from} {
			compare(t, step, known, all)
		}
	}
}

func compare(t *testing.T, step int, l *ledger.Ledger, want *tables) {
	t.Helper()
	if l.Latest() != want.version || l.CountDays() != int64(len(want.versions)) ||
		l.Size() != int64(len(want.subjects)) || len(l.Subjects()) != len(want.subjects) {
		t.Fatalf("step %d: version %d, %d days, %d subjects; want %d, %d, %d", step, l.Latest(), l.CountDays(),
			l.Size(), want.version, len(want.versions), len(want.subjects))
	}
	newest := map[store.Subject]uint64{}
	for subject, number := range want.subjects {
		days := want.days(number)
		if got := l.Number(subject); got != number {
			t.Fatalf("step %d: %s has number %d, want %d", step, subject.ID, got, number)
		}
		if diff := cmp.Diff(days, l.Days(number, ledger.FirstDay, ledger.FinalDay)); diff != "" {
			t.Fatalf("step %d: days of %s (-want +got):\n%s", step, subject.ID, diff)
		}
		inside := func(d store.Day) bool {
			day := schema.DayOf(d.Start.UnixMilli())
			return -3 <= day && day <= 2
		}
		some := slices.DeleteFunc(slices.Clone(days), func(d store.Day) bool { return !inside(d) })
		if got := l.Days(number, -3, 2); !slices.Equal(got, some) {
			t.Fatalf("step %d: days -3 to 2 of %s are %v, want %v", step, subject.ID, got, some)
		}
		unsealed := slices.ContainsFunc(some, func(d store.Day) bool { return d.Sealed == 0 })
		withVersion := slices.DeleteFunc(some, func(d store.Day) bool { return d.Version == 0 })
		if got := l.WithVersion(number, -3, 2); len(got) != len(withVersion) || l.Unsealed(number, -3, 2) != unsealed {
			t.Fatalf("step %d: WithVersion %v, unsealed %t; want %v, %t", step, got, !unsealed, withVersion, unsealed)
		}
		for _, day := range days {
			newest[subject] = max(newest[subject], day.Version)
			if got := l.Day(ledger.SubjectDay{Subject: number, Day: schema.DayOf(day.Start.UnixMilli())}); got != day {
				t.Fatalf("step %d: day %v of %s is %v", step, day, subject.ID, got)
			}
		}
	}
	if got := l.Websites(); !maps.Equal(got, newest) {
		t.Fatalf("step %d: Websites %v, want %v", step, got, newest)
	}
	if got := l.Number(store.Subject{Kind: store.KindLink, ID: "b"}); got != ledger.Unknown {
		t.Fatalf("a subject without rows has number %d", got)
	}
}
