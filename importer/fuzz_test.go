package importer

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
	"github.com/sightline-analytics/sightline/track/agent"
)

// FuzzFormats reads any content in any format. Positions grow, every piece has a record or an error, and every event
// can be stored.
func FuzzFormats(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	all := formats()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := range all {
			f.Add(string(content), uint8(i))
		}
	}
	agents, err := intake.NewAgents()
	if err != nil {
		f.Fatal(err)
	}
	people, err := newVisitors([]byte("secret"), "web_shop")
	if err != nil {
		f.Fatal(err)
	}
	pepper, err := auth.NewPepper([]byte("a pepper for tests"))
	if err != nil {
		f.Fatal(err)
	}
	named, err := visitorid.NewImporter(pepper, "web_shop")
	if err != nil {
		f.Fatal(err)
	}
	m := maker{
		ids: ids{named}, clock: time.Now, known: agent.NewNames(),
		website: store.Website{ID: "web_shop", Domain: "shop.example"}, domain: "shop.example",
		now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), agents: agents, people: people,
	}
	f.Fuzz(func(t *testing.T, content string, format uint8) {
		f := all[int(format)%len(all)]
		from, parse := f.split(newWindow(strings.NewReader(content), 1)), f.open(nil)
		var end int64
		for {
			p, err := from.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if p.start < end || p.end <= p.start {
				t.Fatalf("a piece from %d to %d after %d", p.start, p.end, end)
			}
			if end = p.end; err != nil {
				continue
			}
			var out found
			if err := parse(p.text, &out); err == nil && len(out.records) == 0 && out.rows.Len() == 0 {
				t.Fatalf("%q has neither a record nor an error", p.text)
			}
			for i := range out.records {
				e, err := m.event(f.name, &out.records[i])
				if err != nil {
					continue
				}
				e.ID = "e"
				if err := schema.Items(&store.Batch{Events: []store.Event{e}}, func(schema.Item) {}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
