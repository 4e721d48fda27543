package track

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// keyedReader returns a reader for requests with a key, which needs nothing around it.
func keyedReader() *reader {
	return &reader{keyed: true, clock: clock{now: noon},
		ids: hasher{salts: &world{}, day: noon.Truncate(24 * time.Hour)}}
}

// TestReaderMakesRows checks the reader alone: fields become a row, without a website's rules and without a store.
func TestReaderMakesRows(t *testing.T) {
	f := newFields(object{"name": "signup", "eventId": "e1", "timestamp": "2026-03-04T11:00:00Z",
		"anonymousId": "anon_1", "namespace": []any{}})
	got, err := keyedReader().custom(t.Context(), f,
		store.Website{ID: "w1", Rules: store.Rules{KeyedEvents: true, Paused: true}})
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	got.add(&b)
	want := store.Batch{Events: []store.Event{{
		Website: "w1", ID: "e1", Kind: store.Custom, Name: "signup", Time: time.Date(2026, 3, 4, 11, 0, 0, 0, time.UTC),
		Identity: store.Identity{AnonymousID: hashed("anon_1"), Keyed: true},
	}}}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
	if got.id != "e1" || got.kind != kindCustom || got.subject != ofWebsite("w1") || !got.counts || got.needsKey {
		t.Errorf("%+v", got)
	}
	if d := cmp.Diff([]string{"namespace"}, f.dropped); d != "" {
		t.Error(d)
	}
}

// TestReaderReportsEveryMistake checks that all mistakes of an item are reported together, and that it makes no row.
func TestReaderReportsEveryMistake(t *testing.T) {
	for _, c := range []struct {
		why  string
		read read
		item object
		want []string
	}{
		{"a custom event", (*reader).custom, object{"name": 7.5, "eventName": true, "timestamp": "1999-12-31"},
			[]string{"timestamp", "name"}},
		{"a check", (*reader).check, object{"status": "broken"}, []string{"scheduleId", "status", "timestamp"}},
		{"a visit", (*reader).visit, object{"linkId": object{}}, []string{"linkId"}},
		{"a person", (*reader).person, object{"profileId": "null"}, []string{"profileId"}},
		{"a page event", (*reader).page, object{"type": "track"}, []string{"name", "path"}},
		{"an error", (*reader).failure, object{"payload": object{"path": "/"}}, []string{"message"}},
	} {
		r := keyedReader()
		r.sender.agents = agents(t)
		got, err := c.read(r, t.Context(), newFields(c.item), store.Website{ID: "w1"})
		p, ok := errors.AsType[*problem](err)
		if !ok || got.add != nil || p.Code != codes[codeBadEvent].Code {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var fields []string
		for _, wrong := range p.fields {
			fields = append(fields, wrong.Field)
		}
		if d := cmp.Diff(c.want, fields); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}

func agents(t *testing.T) *intake.Agents {
	t.Helper()
	all, err := intake.NewAgents()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
