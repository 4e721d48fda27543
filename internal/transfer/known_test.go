package transfer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// A seen source has the days of its events that were compared.
type seen struct {
	*sqlite.Store

	days []string
}

func (s *seen) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows, err := s.Store.Query(ctx, stmt)
	if strings.HasPrefix(stmt.Label, "digest events") && err == nil {
		for _, day := range rows.Columns[0].Ints {
			s.days = append(s.days, time.Unix(day*86_400, 0).UTC().Format("01-02"))
		}
	}
	return rows, err
}

func openStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// TestKnownDaysAreNotComparedAgain changes the source, or the target, between copies that remember equal days.
func TestKnownDaysAreNotComparedAgain(t *testing.T) {
	from, to := &seen{Store: openStore(t)}, openStore(t)
	n := 0
	write := func(s store.Writer, site string, days ...int) {
		t.Helper()
		b := &store.Batch{}
		for _, day := range days {
			n++
			b.Events = append(b.Events,
				store.Event{Website: site, ID: fmt.Sprint(n), Time: time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC)})
		}
		if _, err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	var known transfer.Known
	for _, step := range []struct {
		why     string
		change  func()
		days    []string // compared, in any order
		want    transfer.Report
		differs string
	}{
		{"the first copy compares all days", func() {
			write(from, "a", 1, 2, 3, 7)
			write(from, "b", 2)
		},
			[]string{"03-01", "03-02", "03-02", "03-03", "03-07"},
			transfer.Report{Subjects: 2, Days: 5, Rows: 5, Copied: 5}, ""},
		{"nothing changed", func() {}, nil, transfer.Report{Subjects: 2, Days: 5, Rows: 5}, ""},
		{"two days and a new day changed", func() { write(from, "a", 2, 3, 3, 9) },
			[]string{"03-02", "03-03", "03-09"}, transfer.Report{Subjects: 2, Days: 6, Rows: 9, Copied: 4}, ""},
		{"the target has more rows of a changed day", func() {
			write(from, "a", 1)
			write(to, "a", 1)
		},
			[]string{"03-01"}, transfer.Report{Subjects: 2, Days: 6, Rows: 10, Copied: 1},
			"events of website a on 2026-03-01: 2 rows here, 3 there"},
		{"and still has them", func() {},
			[]string{"03-01"}, transfer.Report{Subjects: 2, Days: 6, Rows: 10},
			"events of website a on 2026-03-01: 2 rows here, 3 there"},
	} {
		step.change()
		from.days = nil
		got, err := transfer.Copy(t.Context(), from, to, transfer.Options{Known: &known})
		if err != nil {
			t.Fatal(err)
		}
		var differs []string
		for _, d := range got.Differences {
			differs = append(differs, d.String())
		}
		if strings.Join(differs, ", ") != step.differs {
			t.Errorf("%s: differences %q, want %q", step.why, differs, step.differs)
		}
		got.Differences = nil
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", step.why, diff)
		}
		slices.Sort(from.days)
		compared := slices.Clone(step.days)
		if step.want.Copied > 0 { // and again afterwards
			compared = append(compared, step.days...)
			slices.Sort(compared)
		}
		if diff := cmp.Diff(compared, from.days); diff != "" {
			t.Errorf("%s: compared days (-want +got)\n%s", step.why, diff)
		}
	}
}

// TestDaysOfTheTargetAloneAreReportedAgain calls Copy twice with a target that has a day without rows in the source.
func TestDaysOfTheTargetAloneAreReportedAgain(t *testing.T) {
	from, to := openStore(t), openStore(t)
	for s, day := range map[*sqlite.Store]int{from: 1, to: 5} {
		if _, err := s.Write(t.Context(),
			&store.Batch{Events: []store.Event{{Website: "a", ID: "1",
				Time: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)}}}); err != nil {
			t.Fatal(err)
		}
	}
	var known transfer.Known
	for range 2 {
		got, err := transfer.Copy(t.Context(), from, to, transfer.Options{Known: &known})
		if err != nil || len(got.Differences) != 1 || got.Differences[0].Target != 1 {
			t.Errorf("%+v, %v; want one difference", got, err)
		}
	}
}
