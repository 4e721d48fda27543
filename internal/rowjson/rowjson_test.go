package rowjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// An event in the form of exports and imports.
func ExampleAppend() {
	b := store.Batch{Events: []store.Event{{
		Website: "web_demo", ID: "e1", Name: "screen_view", Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		Identity: store.Identity{AnonymousID: "a1", SessionID: "s1"}, Path: "/pricing", LoadTime: store.Known(0),
		Properties: `{"plan":"pro"}`,
	}}}
	fmt.Printf("%s", rowjson.Append(nil, schema.Events, schema.Row{Batch: &b}))
	// Output: {"table":"events","website":"web_demo","event_id":"e1","time":"2026-11-21T10:00:00.000Z","session_id":"s1","anonymous_id":"a1","path":"/pricing","name":"screen_view","load_time":0,"properties":{"plan":"pro"}}
}

// lines returns all items of b as lines.
func lines(b *store.Batch) (out []byte) {
	for _, t := range schema.Tables() {
		for item := range items(b, t.ID) {
			out = rowjson.Append(out, t.ID, schema.Row{Batch: b, Item: item})
		}
	}
	return out
}

func items(b *store.Batch, t schema.TableID) int {
	return [...]int{len(b.Events), len(b.Errors), len(b.Vitals), len(b.Spans), len(b.Visits), len(b.Checks),
		len(b.Blocked)}[t]
}

// TestEveryColumnComesBack fills every column of every table at random, also with hostile texts, and compares the batch
// with what comes back.
func TestEveryColumnComesBack(t *testing.T) {
	texts := []string{"", "a", "\"\\\x01\u2028\n", "ü €", "{}", `{"a":1.50,"b":[null,"x"]}`, "{not json", "{\"a\":\n1}",
		"[1]"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b store.Batch
		for _, table := range schema.Tables() {
			r := table.Add(&b, "s"+texts[rng.IntN(len(texts))])
			if table.ID == schema.Vitals {
				b.Vitals[0].Samples = make([]store.Sample, 1+rng.IntN(3))
			}
			for r.Sample = range table.Rows(&b, r.Item) {
				for i := range table.Columns {
					if c := &table.Columns[i]; c.Exported() || c.Derived() {
						fill(rng, c, r, texts)
					}
				}
			}
		}
		var back store.Batch
		for line := range bytes.Lines(lines(&b)) {
			if !rowjson.Is(line) {
				t.Fatalf("not recognised: %s", line)
			}
			if err := rowjson.Decode(line, &back); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
		}
		if d := cmp.Diff(b, back); d != "" {
			t.Fatal(d)
		}
	}
}

func fill(rng *rand.Rand, c *schema.Column, r schema.Row, texts []string) {
	switch {
	case c.Name == "event_id":
		c.SetText(r, "e"+texts[rng.IntN(len(texts))])
	case c.Kind.IsText():
		c.SetText(r, texts[rng.IntN(len(texts))])
	case c.Kind == schema.Instant:
		c.SetNumber(r, store.Known(rng.Int64N(4e12)))
	case c.Kind == schema.Small:
		c.SetNumber(r, store.Known(rng.Int64N(2)))
	case c.Kind == schema.Measure && rng.IntN(3) == 0:
	default:
		c.SetNumber(r, store.Known(rng.Int64N(3)))
	}
}

func TestDecodeRefuses(t *testing.T) {
	const rest = `,"event_id":"e","time":"2026-11-21T10:00:00.000Z"`
	for line, want := range map[string]string{
		``:                                 "unexpected end",
		`[]`:                               "not an object",
		`{"table":1}`:                      "table must be a string",
		`{"table":"event"}`:                `unknown table "event"`,
		`{"table":"events"` + rest + `}`:   "website is required",
		`{"table":"events","website":"w"}`: "event_id is required",
		`{"table":"events","website":"w"` + rest + `,"paht":"/"}`:                 `unknown member "paht"`,
		`{"table":"events","website":"w"` + rest + `,"visitor":"v"}`:              `unknown member "visitor"`,
		`{"table":"events","website":"w"` + rest + `,"path":null}`:                "path must be a string",
		`{"table":"events","website":"w"` + rest + `,"kind":256}`:                 "kind must be between 0 and 255",
		`{"table":"events","website":"w"` + rest + `,"ttfb":1.5}`:                 "ttfb must be a whole number",
		`{"table":"events","website":"w","event_id":"e","time":5}`:                "time must be an instant",
		`{"table":"vitals","website":"w"` + rest + `}`:                            "samples is required",
		` { "table" : "vitals" , "website" : "w"` + rest + `, "samples" : [ ] } `: "samples must be a list",
		`{"table":"events","website":"w"` + rest + `,"keyed":1} x`:                "invalid character",
		`{"table":"vitals","website":"w"` + rest + `,"samples":[{"x":1}]}`:        `unknown member "x" of a sample`,
	} {
		var b store.Batch
		err := rowjson.Decode([]byte(line), &b)
		if !errors.Is(err, rowjson.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) || b.Len() != 0 {
			t.Errorf("%s: %v, %d items; want %q", line, err, b.Len(), want)
		}
	}
}

// FuzzDecode checks that no text panics, and that what is accepted comes back.
func FuzzDecode(f *testing.F) {
	f.Add(`{"table":"vitals","website":"w","event_id":"e","time":"2026-11-21T10:00:00.000Z","samples":[{"metric_name":"LCP","value":1}]}`)
	f.Add(` {"table" : "events","website":"w\n","event_id":"e","time":"2026-11-21T10:00:00Z","properties":{"a":[1,{"b":"}"}]},"keyed":1 } `)
	f.Fuzz(func(t *testing.T, line string) {
		var b, back store.Batch
		if rowjson.Decode([]byte(line), &b) != nil {
			return
		}
		for again := range bytes.Lines(lines(&b)) {
			if err := rowjson.Decode(again, &back); err != nil {
				t.Fatalf("%v: %s", err, again)
			}
		}
		if d := cmp.Diff(b, back); d != "" {
			t.Error(d)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	batch := store.Batch{Events: []store.Event{{Website: "web_demo", ID: "0123456789abcdef", Name: "screen_view",
		Time:     time.Unix(1e9, 0).UTC(),
		Identity: store.Identity{AnonymousID: "0123456789abcdef", SessionID: "0123456789abcdef"}, Path: "/pricing",
		Referrer:       "https://www.google.com/",
		ReferrerDomain: "google.com",
		Agent: store.Agent{BrowserName: "Chrome", BrowserVersion: "130", OSName: "Windows",
			DeviceType: "desktop", Country: "DE"}}}}
	line := rowjson.Append(nil, schema.Events, schema.Row{Batch: &batch})
	for b.Loop() {
		var to store.Batch
		if err := rowjson.Decode(line, &to); err != nil {
			b.Fatal(err)
		}
	}
}
