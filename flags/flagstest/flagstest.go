// Package flagstest has the conformance tests for implementations of flags.Store:
//
//	func TestStore(t *testing.T) {
//		flagstest.Run(t, flagstest.Harness{Open: func(t *testing.T) (one, other flags.Store) {
//			return newStore(t), newStore(t) // two connections to one empty database
//		}})
//	}
//
// The tests also cover a [flags.Editor] on top of the store. Each failed case prints the rule that it checks.
package flagstest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/flags"
)

// A Harness opens the stores under test.
type Harness struct {
	// Open returns two stores with the same empty set of records, like two processes. If only one process can
	// open the store, Open returns it twice. Open closes the stores with t.Cleanup. It is called once: all cases
	// share the stores, and each uses its own clients.
	Open func(t *testing.T) (one, other flags.Store)
}

// Run tests the stores of h.
func Run(t *testing.T, h Harness) {
	one, other := h.Open(t)
	for n, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			c.run(&bench{
				t: t, why: c.why, one: one, other: other,
				client: flags.OfWebsite(fmt.Sprint("acme-", n)), second: flags.OfWebsite(fmt.Sprint("other-", n)),
			})
		})
	}
}

type testCase struct {
	name string
	why  string
	run  func(*bench)
}

func cases() []testCase {
	return []testCase{
		{"nothing", "An unknown client has an empty set, and loading it does not fail.", nothing},
		{"round trip", "Records are returned as they were stored, JSON values byte for byte.", roundTrip},
		{"replaced", "A record replaces the whole record with the same id.", replaced},
		{"old base", "A commit for another revision is a conflict and stores nothing.", oldBase},
		{"first commits at once", "Of commits with the same base one succeeds.", firstCommits},
		{"clients are apart", "A client never sees flags of another client, also if a website and an organisation have the same id.", clientsApart},
		{"history", "History lists the newest changes first, starts below a revision, and stops at the limit.",
			history},
		{"dropped", "Dropped records are deleted, and so is the history of a dropped flag.", dropped},
		{"revisions", "Revisions returns the revisions of the requested clients that are known.", revisions},
		{"nothing is shared", "Callers that change records later do not change the store.", nothingShared},
		{"ended", "An operation with an ended context fails and stores nothing.", ended},
		{"a full client", "A client can have MaxFlags flags and no more.", fullClient},
		{"changes at once", "Concurrent changes are all stored.", changesAtOnce},
		{"revision of a flag", "A change for an old revision of a flag is a conflict.", flagRevision},
		{"other clients", "A flag cannot be read or changed for another client.", otherClients},
		{"one key", "A key is unique per client and environment.", oneKey},
		{"remove and restore", "A removed flag is restored by its key, with its id and history.", restored},
		{"schedule", "A step of a schedule is applied once and is in the history.", schedule},
	}
}

// bench runs a case on the stores.
type bench struct {
	t              *testing.T
	why            string
	one, other     flags.Store
	client, second flags.Client // only used by this case
}

// failf ends the case with the difference and the rule.
func (b *bench) failf(format string, args ...any) {
	b.t.Helper()
	b.t.Errorf(format, args...)
	b.t.Fatalf("the rule: %s", b.why)
}

func (b *bench) ctx() context.Context { return b.t.Context() }

func (b *bench) load(client flags.Client) flags.Set {
	b.t.Helper()
	set, err := b.other.Load(b.ctx(), client)
	if err != nil || set.Client != client {
		b.failf("Load: client %v, %v", set.Client, err)
	}
	return set
}

func (b *bench) commit(c flags.Commit) {
	b.t.Helper()
	if err := b.one.Commit(b.ctx(), c); err != nil {
		b.failf("Commit: %v", err)
	}
}

func (b *bench) history(client flags.Client, flag string, before int64, limit int) []flags.Change {
	b.t.Helper()
	list, err := b.other.History(b.ctx(), client, flag, before, limit)
	if err != nil {
		b.failf("History: %v", err)
	}
	return list
}

// start is a whole millisecond, like all times that editors pass to stores.
func start() time.Time { return time.Date(2026, 3, 29, 0, 59, 59, 987_000_000, time.UTC) }

// full returns a flag with a value in every field.
func full(client flags.Client, id string) flags.Flag {
	return flags.Flag{
		ID: id, Client: client, Environment: "staging", Key: "key-" + id,
		Name: `Name "ü" 'x' \ %_ 🙂`, Description: "<b>&\u2028\u0000</b>",
		Type: flags.Multivariant, Status: flags.Inactive, Default: true,
		Payload: json.RawMessage(`{"html":"<a href='x'>&amp;</a>","n":12345678901234567890,"u":"\u00fc\u2028"}`),
		Rules: []flags.Rule{
			{On: flags.OnProperty, Operator: flags.In, Field: "plan", Values: []any{"pro", 1.5, true, ""},
				Enabled: true},
			{On: flags.OnEmail, Operator: flags.EndsWith, Value: "@example.com"},
			{On: flags.OnUserID, Operator: flags.In, Batch: true, BatchValues: []string{"u1", "<&>"}, Enabled: true},
			{On: flags.OnEmail, Operator: flags.Matches, Value: `^[a-z]+\.<ü>@`, Enabled: true},
			{On: flags.OnProperty, Operator: flags.SemverAtLeast, Field: "version", Value: "1.10.0-rc.1"},
			{On: flags.OnProperty, Operator: flags.Greater, Field: "seats", Value: 9.5},
		},
		Groups: []string{"g1"}, Percentage: 37, By: flags.ByTeam,
		Variants: []flags.Variant{
			{Key: "a", Type: flags.JSONValue, Value: json.RawMessage(`[1.0,{"b":null}]`), Weight: new(33.5),
				Description: "one"},
			{Key: "b", Type: flags.StringValue, Value: json.RawMessage(`"<b>"`), Weight: new(66.5)},
		},
		Dependencies: []string{"other"},
		Schedule: []flags.Step{
			{At: start().Add(time.Hour), Action: flags.UpdateRollout, Percentage: 50},
			{At: start().Add(2 * time.Hour), Action: flags.Disable},
		},
		PersistAcrossAuth: true, HashVersion: flags.MixedHash,
		Revision: 7, CreatedAt: start(), UpdatedAt: start().Add(time.Minute), RemovedAt: start().Add(time.Hour),
	}
}

// plain returns a flag with few values, as an editor creates it.
func plain(client flags.Client, id string) flags.Flag {
	return flags.Flag{
		ID: id, Client: client, Key: "key-" + id, Type: flags.Boolean, Status: flags.Active, By: flags.ByUser,
		Rules: []flags.Rule{}, Groups: []string{}, Variants: []flags.Variant{}, Dependencies: []string{},
		Schedule:    []flags.Step{},
		HashVersion: flags.FirstHash, Revision: 1, CreatedAt: start(), UpdatedAt: start(),
	}
}

func group(client flags.Client, id string) flags.Group {
	return flags.Group{
		ID: id, Client: client, Name: "Group <ü>", Description: "d", Color: "#6366f1",
		Rules:    []flags.Rule{{On: flags.OnUserID, Operator: flags.Equals, Value: "u1", Enabled: true}},
		Revision: 3, CreatedAt: start(), UpdatedAt: start().Add(time.Second),
	}
}
