package storetest

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// keptCases returns cases about the stored rows.
func keptCases() []contractCase {
	return []contractCase{
		{name: "every column is returned as given", run: testColumns,
			defends: "package store/schema lists the columns; the visitor is the profile, else the anonymous id"},
		{name: "absent is not zero", run: testAbsent,
			defends: "an absent text is empty, an absent measure is null; 0 is a value"},
		{name: "texts are stored byte for byte", run: testTexts,
			defends: "rows are stored as given"},
		{name: "a vital report is one id and a row per sample", run: testSamples,
			defends: "Vital: each sample is a row"},
		{name: "old, late and future rows are stored", run: testLate,
			defends: "late and out-of-order events are fine; instants are whole milliseconds"},
		{name: "an empty batch is fine", run: testEmpty,
			defends: "a batch has rows of any kinds, or none"},
		{name: "written rows survive a restart", restarts: true, run: testRestart,
			defends: "if Write returns nil, all of b is durable"},
		{name: "5 000 events in one batch", run: testLarge,
			defends: "Write stores batches of any size"},
		{name: "an unknown subject has no rows", run: testStranger,
			defends: "for an unknown subject, a store binds a value that no row has"},
	}
}

func testColumns(w *trial) {
	b, want := full()
	w.write(*b, len(want), 0)
	w.mustHold(want)
}

func testAbsent(w *trial) {
	w.write(store.Batch{
		Events: []store.Event{{Website: "w", ID: "e", Time: noon, Identity: store.Identity{AnonymousID: "a"}}},
		Errors: []store.Error{{Website: "w", ID: "e", Time: noon}},
		Spans:  []store.Span{{Website: "w", ID: "e", Time: noon, PageIndex: store.Known(0)}},
		Checks: []store.Check{{Schedule: "s", ID: "k", Time: noon, SSLValid: sql.Null[bool]{Valid: true}}},
	}, 4, 0)
	w.cells("events", website("w"), []cell{
		{"path", ""}, {"session_id", ""}, {"profile_id", ""}, {"visitor", "a"}, {"country", ""}, {"properties", ""},
		{"load_time", nil}, {"dom_ready_time", nil}, {"ttfb", nil}, {"time_on_page", nil}, {"scroll_depth", nil},
		{"interactions", nil},
	})
	w.cells("errors", website("w"), []cell{{"visitor", ""}, {"line", nil}, {"col", nil}})
	w.cells("spans", website("w"), []cell{
		{"visitor", ""}, {"exit_type", ""}, {"page_index", int64(0)}, {"time_on_page", nil}, {"active_time", nil},
		{"first_interaction", nil}, {"max_scroll_depth", nil}, {"rage_clicks", int64(0)}, {"errors", int64(0)},
	})
	w.cells("checks", schedule("s"), []cell{
		{"status", int64(store.Down)}, {"http_code", int64(0)}, {"ttfb", nil}, {"total", nil},
		{"ssl_expiry", nil}, {"ssl_valid", int64(0)}, {"error", ""},
	})
}

func testTexts(w *trial) {
	texts := []string{
		"", " ", `quote ' double " back \ tick` + "`", "a\x01b", "%_%%", "😀👩‍👩‍👧 ünï", "line\r\n\tbreak",
		"--; DROP TABLE events; /*", "$1 {p:String} ? :x", strings.Repeat("long ", 20_000), "\u202eright to left",
		"NULL",
	}
	var b store.Batch
	for i, text := range texts {
		id := string(rune('a' + i))
		b.Events = append(b.Events, store.Event{Website: "w'\"\x01😀", ID: id + text, Time: noon, Title: text})
	}
	w.write(b, len(texts), 0)
	w.write(b, 0, len(texts))
	got := w.column("events", "title", dialect.Text, website("w'\"\x01😀")).Texts
	if diff := cmp.Diff(texts, got); diff != "" {
		w.Errorf("titles differ (-given +read):\n%s", diff)
	}
}

func testSamples(w *trial) {
	vital := store.Vital{Website: "w", ID: "v", Time: noon,
		Samples: []store.Sample{{Metric: "LCP", Value: 1}, {Metric: "CLS", Value: 2}, {Metric: "INP", Value: 3}}}
	w.write(store.Batch{Vitals: []store.Vital{vital}}, 1, 0)
	w.write(store.Batch{Vitals: []store.Vital{vital}}, 0, 1)
	w.count("vitals", website("w"), 3)
}

func testLate(w *trial) {
	var b store.Batch
	times := []time.Time{
		noon.Add(7*time.Millisecond + 999_999), noon.AddDate(-3, 0, 0), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		noon.AddDate(10, 0, 0),
		time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
	}
	for i, at := range times {
		b.Events = append(b.Events, store.Event{Website: "w", ID: string(rune('a' + i)), Time: at})
	}
	w.write(b, len(times), 0)
	for i, got := range w.column("events", "time", dialect.Int, website("w")).Ints {
		if want := times[i].UnixMilli(); got != want {
			w.Errorf("time %s came back as %d, want %d", times[i], got, want)
		}
	}
}

func testEmpty(w *trial) {
	w.write(store.Batch{}, 0, 0)
	if err := w.store.Ping(context.Background()); err != nil {
		w.Errorf("Ping: %v", err)
	}
}

func testRestart(w *trial) {
	b, want := full()
	w.write(*b, len(want), 0)
	w.reopen()
	w.mustHold(want)
	w.write(pageview("other", "p"), 1, 0)
	w.count("events", website("w"), 1)
	w.count("events", website("other"), 1)
}

func testLarge(w *trial) {
	const n = 5_000
	var b store.Batch
	for i := range n {
		event := pageview("w", "e"+time.Duration(i).String()).Events[0]
		event.Time = noon.Add(time.Duration(i) * time.Second)
		b.Events = append(b.Events, event)
	}
	w.write(b, n, 0)
	w.count("events", website("w"), n)
	w.write(b, 0, n)
	w.count("events", website("w"), n)
}

func testStranger(w *trial) {
	w.write(pageview("w", "e"), 1, 0)
	w.count("events", website("nobody"), 0)
	w.count("events", link("w"), 0)
	w.count("events", website("w"), 1)
}
