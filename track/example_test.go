package track_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// rows stores the events. In production duckdb.Open or clickhouse.Open returns the store.
type rows struct{ events []store.Event }

func (r *rows) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	r.events = append(r.events, b.Events...)
	return store.Written{Stored: b.Len()}, nil
}

// nobody accepts no keys. In production auth.New returns the authenticator.
type nobody struct{}

func (nobody) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return nil, auth.ErrMissing
}

// A host mounts the handler in its own mux. Pages of a website send events with the website's public
// id.
func Example() {
	sites, data := &store.MemoryDirectory{}, &rows{}
	addErr := sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	folder, err := os.MkdirTemp("", "salts") // in production a folder that stays
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	salts, saltErr := track.NewFileSalts(track.FileSaltsConfig{Folder: folder})
	handler, err := track.New(track.Config{
		Writer: data, Directory: sites, Auth: nobody{}, Salts: salts,
		Limiter: auth.Unlimited, Audit: auth.Discard, Usage: track.NoQuotas, // no rate limits, audit trail and quotas
	})
	if err := errors.Join(addErr, saltErr, err); err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", handler))

	body := `{"type": "track", "name": "screen_view", "path": "https://shop.example/sale", "eventId": "e1", "anonymousId": "a", "sessionId": "s"}`
	r, w := httptest.NewRequest(http.MethodPost, "/ingest/?client_id=shop", strings.NewReader(body)),
		httptest.NewRecorder()
	r.Header.Set("User-Agent",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36")
	mux.ServeHTTP(w, r)
	fmt.Print(w.Code, " ", w.Body)
	for _, e := range data.events {
		fmt.Println(e.Website, e.Name, e.Path, e.BrowserName)
	}
	// Output:
	// 200 {"status":"success","type":"track","eventId":"e1"}
	// shop screen_view /sale Chrome
}
