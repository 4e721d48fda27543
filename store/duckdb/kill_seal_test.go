//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// The days that are sealed until the process is killed.
var (
	sealedFrom = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	sealedTo   = sealedFrom.AddDate(0, 0, 40)
)

// killedClusterRows is the number of rows in a cluster of these stores.
const killedClusterRows = 150

// sealUntilKilled is a child process that writes rows of the second half of the days, including late ones and
// repeats. At the same time it repeatedly seals all days, stores their partials, moves rows into clusters, asks, and
// removes more and more of the first days. It prints a line each time it has sealed, stored, or moved events.
func sealUntilKilled(path string) int {
	ctx := context.Background()
	all, err := migrations()
	if err != nil {
		return complain(err)
	}
	s, err := openWith(ctx, Config{Path: path, Now: longAfter}, setup{all, (*instance).engine, killedClusterRows})
	if err != nil {
		return complain(err)
	}
	e, err := query.New(query.Config{Store: s})
	if err != nil {
		return complain(err)
	}
	failed := make(chan error, 4)
	round := time.Now().UnixNano()
	half := sealedTo.Sub(sealedFrom) / 2
	write := func(prefix string, from time.Time, length time.Duration) {
		b := batch(prefix, 200)
		for j := range b.Events {
			b.Events[j].Time = from.Add(rand.N(length))
		}
		if _, err := s.Write(ctx, b); err != nil {
			failed <- err
		}
	}
	write("quiet/", sealedFrom, half)
	go func() {
		for i := 0; ; i++ { // four of five batches are repeats
			write(fmt.Sprintf("%d-%d/", round, i-i%5), sealedFrom.Add(half+rand.N(half)), 24*time.Hour)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	go func() {
		for i := 0; ; i++ {
			seal := e.Reseal
			if i%4 == 0 {
				seal = e.Seal
			}
			// A day may lose its seal by a removal, after it was found to be stale.
			if err := seal(ctx, site, sealedFrom, sealedTo); err != nil && !errors.Is(err, store.ErrUnavailable) {
				failed <- err
			}
			fmt.Println("sealed")
		}
	}()
	go func() {
		for {
			for _, of := range clusterings() {
				made, err := s.cluster(ctx, of)
				if err != nil {
					failed <- err
				}
				if made && of.table == "events" {
					fmt.Println("moved")
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	go func() {
		for {
			from := sealedFrom.AddDate(0, 0, 8*rand.N(5))
			if err := e.StorePartials(ctx, site, from, from.AddDate(0, 0, 8)); err != nil {
				failed <- err
			}
			fmt.Println("stored")
		}
	}()
	go func() {
		for {
			if _, err := e.Run(ctx, query.Access{Subject: site}, killedQuestions()); err != nil {
				failed <- err
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	go func() {
		for i := 0; ; i++ {
			if _, err := e.Expire(ctx, site, sealedFrom.AddDate(0, 0, i%10), i%2 == 0); err != nil {
				failed <- err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return complain(<-failed)
}

// TestKilledWhileSealing kills a process while it seals days, stores partials and makes clusters, or while it
// opens the file. Afterwards each row must be there once, and stored results and answers must equal those
// computed from the rows. SIGHTLINE_LONG is the number of kills.
func TestKilledWhileSealing(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	verified, moved := 0, int64(0)
	for round := range storetest.Number(t, "SIGHTLINE_LONG", 2) {
		lines, kill := startChild(t, "seal", path)
		if round%2 == 0 {
			for said := map[string]bool{}; !said["sealed"] || !said["moved"] ||
				!said["stored"]; said[lines.Text()] = true {
				if !lines.Scan() || strings.HasPrefix(lines.Text(), "error") {
					t.Fatalf("the child ended or failed before it sealed, moved and stored; its last line is %q",
						lines.Text())
				}
			}
			time.Sleep(rand.N(300 * time.Millisecond))
		} else {
			time.Sleep(rand.N(time.Second)) // during or after the upgrade
		}
		kill()
		for said := true; said; said = lines.Scan() {
			if strings.HasPrefix(lines.Text(), "error") {
				t.Fatalf("the child printed %s", lines.Text())
			}
		}
		days, rows := verifyKilled(t, path)
		verified, moved = verified+days, moved+rows
	}
	if verified == 0 || moved == 0 {
		t.Errorf("%d seals were verified and %d rows were in clusters, want some of each", verified, moved)
	}
}

// verifyKilled opens the file at path and compares stored results and answers with the rows. It returns the
// number of compared days and of events in clusters.
func verifyKilled(t *testing.T, path string) (verified int, clustered int64) {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: path})
	if err != nil {
		t.Fatalf("Open after the kill: %v", err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	sealed, err := query.New(query.Config{Store: s, EngineOptions: query.EngineOptions{ResultCache: -1}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := query.New(query.Config{Store: s,
		EngineOptions: query.EngineOptions{ResultCache: -1, NoDerived: true}})
	if err != nil {
		t.Fatal(err)
	}
	found := ask(t, s, "SELECT count(*), count(DISTINCT event_id), (SELECT count(*) FROM receipts), sum(clustered) FROM events",
		[]dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Int})
	rows, ids, receipts := found.Columns[0].Ints[0], found.Columns[1].Ints[0], found.Columns[2].Ints[0]
	clustered = found.Columns[3].Ints[0]
	if rows != ids || rows > receipts || rows == 0 {
		t.Errorf("%d events with %d ids and %d receipts, want equal numbers of ids and not more than receipts", rows,
			ids, receipts)
	}
	report, err := sealed.VerifySeals(t.Context(), site, sealedFrom, sealedTo)
	if err != nil || len(report.Differences) > 0 || report.Skipped > 0 {
		t.Errorf("VerifySeals = %+v, %v; want no differences and no skipped days", report, err)
	}
	want := killedAnswers(t, plain)
	for range 2 { // first from stored partials, if most days have some
		if got := killedAnswers(t, sealed); !slices.Equal(got, want) {
			t.Errorf("answers\n%s\nwant, from rows alone\n%s", got, want)
		}
	}
	return report.Verified, clustered
}

// killedQuestions asks about all days that may still have rows.
func killedQuestions() query.Request {
	ask := query.Request{StartDate: "2026-03-11", EndDate: "2026-04-09"}
	for _, name := range []string{"summary_metrics", "events_by_date", "pages", "countries", "sessions_time_series",
		"session_list"} {
		ask.Parameters = append(ask.Parameters, query.Parameter{Name: name})
	}
	return ask
}

// killedAnswers returns answers about these days.
func killedAnswers(t *testing.T, e *query.Engine) (all []string) {
	t.Helper()
	got, err := e.Run(t.Context(), query.Access{Subject: site}, killedQuestions())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Data {
		text, err := json.Marshal(r)
		if err != nil || !r.Success {
			t.Fatalf("%s: %s, %v", r.Parameter, r.Error, err)
		}
		all = append(all, string(text))
	}
	return all
}
