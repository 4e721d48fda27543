package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A Pair checks that a store of events and a store of records belong together. One of them may be lost, or the address
// of another one may have been given: then the server would refuse all events, or show none of those that it stored.
//
// The records keep a mark of the events: the database, a website, and the version of its rows. The server renews the
// mark, so an event store with smaller versions has lost events.
type Pair struct {
	Data       string
	Meta       string // DSN of PostgreSQL; empty: records in the data folder
	ClickHouse bool   // events are there and not in the data folder
	NewRecords bool   // the operator wants records that do not know the events
	NewEvents  bool   // the operator accepts that events are missing
}

// Events is what a Pair needs of a store of events.
type Events interface {
	Dialect() *dialect.Dialect
	Subjects(ctx context.Context) ([]store.Subject, error)
}

// factEvents is the name of the mark of the events in the records.
const factEvents = "install:events"

// An eventsMark says which events were stored.
type eventsMark struct {
	Database string `json:"database"` // name of the dialect
	Website  string `json:"website"`  // empty: only links and monitors have rows
	Version  uint64 `json:"version"`  // of the rows of the website
}

func (m eventsMark) wasClickHouse() bool { return m.Database == dialect.ClickHouse().Name }

// markOf returns the mark of a store. It is zero if the store has no rows.
func markOf(ctx context.Context, events Events) (eventsMark, error) {
	mark := eventsMark{Database: events.Dialect().Name}
	if versions, ok := events.(store.Deriver); ok {
		all, err := versions.Websites(ctx)
		if err != nil {
			return eventsMark{}, err
		}
		for website, version := range all {
			if version > mark.Version || version == mark.Version && website.ID < mark.Website {
				mark.Website, mark.Version = website.ID, version
			}
		}
	}
	if mark.Website != "" {
		return mark, nil
	}
	subjects, err := events.Subjects(ctx)
	if err != nil || len(subjects) == 0 {
		return eventsMark{}, err
	}
	return mark, nil
}

// storedMark returns the mark in the records, or a zero one.
func storedMark(ctx context.Context, records *meta.Store) (mark eventsMark, err error) {
	text, err := records.Fact(ctx, factEvents)
	if err != nil || text == "" {
		return eventsMark{}, err
	}
	if err := json.Unmarshal([]byte(text), &mark); err != nil {
		return eventsMark{}, fmt.Errorf("the mark of the events in the records: %w: %w", store.ErrCorrupt, err)
	}
	return mark, nil
}

// Mark stores in the records which events are stored, and reports whether there are any.
func Mark(ctx context.Context, events Events, records *meta.Store) (bool, error) {
	now, err := markOf(ctx, events)
	if err != nil || now == (eventsMark{}) {
		return false, err
	}
	before, err := storedMark(ctx, records)
	if err != nil || before == now {
		return true, err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return true, err
	}
	return true, records.SetFact(ctx, factEvents, string(text))
}

// CheckFiles looks for missing files before a store creates them.
func (p Pair) CheckFiles(ctx context.Context, log *slog.Logger, now func() time.Time) (err error) {
	if err := CheckAccess(p.Data); err != nil {
		return err
	}
	hasRecords, err := p.has(p.Meta != "", RecordsFile)
	if err != nil {
		return err
	}
	if !hasRecords {
		return p.checkHeads()
	}
	for _, file := range embedded.Files() { // a file of the other build is for embedded.Open to report
		if hasEvents, err := p.has(p.ClickHouse, file); err != nil || hasEvents || p.NewEvents {
			return err
		}
	}
	records, err := OpenRecords(ctx, p.Data, p.Meta, auth.Pepper{}, log, now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close(context.WithoutCancel(ctx))) }()
	mark, err := storedMark(ctx, records)
	if err == nil && mark != (eventsMark{}) {
		err = p.lostEvents(EventsFile+" is missing", mark)
	}
	return err
}

// has reports whether a part is elsewhere, or a file of the data folder.
func (p Pair) has(elsewhere bool, file string) (bool, error) {
	if elsewhere {
		return true, nil
	}
	return Exists(p.Data, file)
}

// checkHeads refuses to create records beside heads of an audit trail.
func (p Pair) checkHeads() error {
	exists, err := Exists(p.Data, HeadsFile)
	if exists && !p.NewRecords {
		err = p.lostRecords("is missing", HeadsFile+" has data")
	}
	return err
}

// CheckNew refuses to create a file of records beside events. Call it after the events are open, and before the
// records.
func (p Pair) CheckNew(ctx context.Context, events Events) error {
	hasRecords, err := p.has(p.Meta != "", RecordsFile)
	if err != nil || hasRecords || p.NewRecords {
		return err
	}
	if subjects, err := events.Subjects(ctx); err != nil || len(subjects) == 0 {
		return err
	}
	return p.lostRecords("is missing", p.eventsName()+" has data")
}

// Check compares the two open stores.
func (p Pair) Check(ctx context.Context, events Events, records *meta.Store) error {
	before, err := storedMark(ctx, records)
	if err != nil {
		return err
	}
	if before != (eventsMark{}) && !p.NewEvents {
		return p.checkEvents(ctx, before, events)
	}
	if p.NewEvents {
		if err := records.SetFact(ctx, factEvents, ""); err != nil {
			return err
		}
	}
	if p.NewRecords {
		return nil
	}
	subjects, err := events.Subjects(ctx)
	if err != nil || len(subjects) == 0 {
		return err
	}
	if known, err := records.KnowsAny(ctx, subjects); err != nil || known {
		return err
	}
	return p.lostRecords("has no websites of these events",
		fmt.Sprintf("%s has data of %d websites, links and monitors, such as %q", p.eventsName(),
			len(subjects), subjects[0].ID))
}

// checkEvents returns an error if events are missing that were stored when the mark before was made.
func (p Pair) checkEvents(ctx context.Context, before eventsMark, events Events) error {
	if before.wasClickHouse() && !p.ClickHouse { // nothing copies events out of ClickHouse
		return p.lostEvents("the server is started with "+EventsFile, before)
	}
	now, err := markOf(ctx, events)
	if err != nil {
		return err
	}
	if now == (eventsMark{}) {
		return p.lostEvents(p.eventsName()+" has none", before)
	}
	versions, ok := events.(store.Deriver)
	// Other databases count in another way, after a copy too, and ClickHouse may lose its last rows in a crash.
	if !ok || before.Website == "" || now.Database != before.Database || p.ClickHouse {
		return nil
	}
	all, err := versions.Websites(ctx)
	if err != nil {
		return err
	}
	if all[store.Subject{Kind: store.KindWebsite, ID: before.Website}] < before.Version {
		return p.lostEvents(fmt.Sprintf("%s has fewer: its file is an older one, or its log was cut", p.eventsName()),
			before)
	}
	return nil
}

func (p Pair) eventsName() string {
	if p.ClickHouse {
		return "ClickHouse"
	}
	return EventsFile
}

// lostRecords is the error of records in a state that do not know the events.
func (p Pair) lostRecords(state, why string) error {
	what, do := RecordsFile, "put the right file back from a backup"
	if p.Meta != "" {
		what, do = "the database of --meta", "name the right database"
	}
	return fmt.Errorf("%s %s, but %s, in %s: %s, or start once with --new-records to begin with records that do not know these events",
		what, state, why, p.Data, do)
}

// lostEvents is the error of events that the records know and the store does not have.
func (p Pair) lostEvents(why string, before eventsMark) error {
	do := "put the file back from a backup, with its log"
	switch {
	case p.ClickHouse:
		do = "name the right database with --clickhouse, or copy the events there first"
	case before.wasClickHouse():
		do = "name the database with --clickhouse"
	}
	of := ""
	if before.Website != "" {
		of = fmt.Sprintf(" of website %q", before.Website)
	}
	return fmt.Errorf("the records say that events%s were stored (in %s), but %s, in %s: %s, or start once with --new-events to continue without these events (docs/operations.md#damage)",
		of, before.Database, why, p.Data, do)
}
