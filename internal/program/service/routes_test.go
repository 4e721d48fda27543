package service

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track"
)

const docs = "../../../docs"

// A walked route is a row of the table of the API or of tracking.
type walked struct {
	handler              string // the label of its metrics
	prefix, method, path string
	classes              []auth.Class
	reads, keyed         bool // whether it reads a body, and whether it reads keys
	stores               string
	codes                map[string]int // the codes of errors of its handler, with their statuses
}

func (r walked) String() string { return r.method + " " + r.prefix + r.path }

// allRoutes returns the rows of both tables.
func allRoutes() (all []walked) {
	codes := map[string]int{}
	for _, c := range httpapi.Codes() {
		codes[c.Code] = c.Status
	}
	for _, r := range httpapi.Routes() {
		all = append(all, walked{
			handler: "api", method: r.Method, path: r.Path,
			classes: []auth.Class{r.Class, cmp.Or(r.Anonymous, r.Class)}, reads: r.Body,
			keyed: r.Access != httpapi.Public, stores: r.Stores, codes: codes,
		})
	}
	codes = map[string]int{}
	for _, c := range track.Codes() {
		codes[c.Code] = c.Status
	}
	for _, r := range track.Routes() {
		all = append(all, walked{
			handler: "track", prefix: trackPrefix, method: r.Method, path: r.Path,
			classes: []auth.Class{r.Class, cmp.Or(r.Anonymous, r.Class)}, reads: r.Items > 0,
			keyed: r.Access == track.ByKey || r.Access == track.ByKeyOrWebsite, stores: r.Stores, codes: codes,
		})
	}
	return all
}

// TestEveryRouteIsDescribed walks everything that the program serves. It fails for a route without a rate class, a
// bound of its body, a description, rows for its errors, a metric, or a row in docs/security.md for the records that it
// stores.
func TestEveryRouteIsDescribed(t *testing.T) {
	w := newWalk(t)
	for _, r := range allRoutes() {
		t.Run(r.String(), func(t *testing.T) { w.route(t, r) })
	}
	for _, m := range w.mounts {
		if m.page != nil {
			t.Run(m.name, func(t *testing.T) { w.page(t, m) })
		} else if m.name != "api" && m.name != "track" {
			t.Errorf("%s at %v has neither a table of routes nor a page", m.name, m.patterns)
		}
	}
}

// A walk has the program with everything that it can serve, and the pages about it.
type walk struct {
	app      *app
	mounts   []mount
	website  string
	key      auth.Key
	secret   string
	document struct {
		Paths map[string]map[string]struct {
			OperationID, Summary string
			Parameters           []struct{ Name, In string }
			Responses            map[string]json.RawMessage
		}
	}
	api, errors string            // pages of docs
	stored      map[string]string // the bound of what requests store, by its name in docs/security.md
}

func newWalk(t *testing.T) *walk {
	t.Helper()
	settings := Settings{Data: filepath.Join(t.TempDir(), "data"), MCP: true, TrackAddr: "on", MetricsAddr: "on"}
	a, err := open(t.Context(), settings, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	w := &walk{app: a, api: read(t, "api.md"), errors: read(t, "errors.md"), stored: stored(t)}
	if w.mounts, err = a.mounts(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.records.CreateOwner(t.Context(), meta.Owner{ID: "acme"}); err != nil {
		t.Fatal(err)
	}
	w.renew(t)
	document := w.send(t, onMain, http.MethodGet, "/v1/openapi.json", "", "", nil)
	if err := json.Unmarshal(document.Body.Bytes(), &w.document); err != nil {
		t.Fatal(err)
	}
	return w
}

// renew creates a website and a key that may do everything.
func (w *walk) renew(t *testing.T) {
	t.Helper()
	site, err := w.app.records.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "web.example"})
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := w.app.records.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	w.website, w.key, w.secret = site.ID, key, secret.Reveal()
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stored returns the table "Bytes on disk". The bound of a record is empty unless its row has every column: per whom,
// how many, how many bytes, what happens then, and when they are freed.
func stored(t *testing.T) map[string]string {
	t.Helper()
	_, section, _ := strings.Cut(read(t, "security.md"), "\n### Bytes on disk\n")
	section, _, _ = strings.Cut(section, "\n## ")
	all := map[string]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 2 {
			continue
		}
		if len(cells) != 6 || slices.ContainsFunc(cells,
			func(cell string) bool { return strings.TrimSpace(cell) == "" }) {
			t.Errorf("the table \"Bytes on disk\" has a row without all of its columns: %s", line)
			continue
		}
		for name := range strings.SplitSeq(cells[0], ",") {
			all[strings.TrimSpace(name)] = strings.TrimSpace(strings.Join(cells[1:], ""))
		}
	}
	return all
}

// TestBoundsAreDocumented compares the table "Bytes on disk" with the constants of the packages that enforce them.
func TestBoundsAreDocumented(t *testing.T) {
	const kib, mib = 1 << 10, 1 << 20
	table := stored(t)
	for name, bounds := range map[string][]string{
		"keys": {fmt.Sprintf("%d keys that are neither", auth.MaxKeys), fmt.Sprintf("%d keys that are;",
			auth.MaxEndedKeys),
			fmt.Sprintf("%d resources", auth.MaxResources), fmt.Sprintf("%d query types", auth.MaxTypes),
			fmt.Sprintf("%d filters", auth.MaxFilters), fmt.Sprintf("%d values", auth.MaxValues),
			fmt.Sprintf("%d KiB each; %d MiB", auth.MaxKeyBytes/kib, auth.MaxKeysBytes/mib)},
		"websites": {fmt.Sprintf("%d; and %d 000 removed", store.MaxWebsites, store.MaxRemovedWebsites/1000),
			fmt.Sprintf("%d origins and %[1]d addresses", store.MaxRules), fmt.Sprintf("%d MiB",
				store.MaxWebsitesBytes/mib)},
		"definitions": {fmt.Sprintf("%d goals, funnels", store.MaxDefinitions), fmt.Sprintf("%d annotations",
			store.MaxAnnotations),
			fmt.Sprintf("%d KiB each; %d MiB", store.MaxDefinitionBytes/kib, store.MaxDefinitionsBytes/mib)},
		"definitions of all websites": {fmt.Sprintf("%d 000 of all kinds", store.MaxOwnerDefinitions/1000),
			fmt.Sprintf("%d MiB", store.MaxOwnerDefinitionsBytes/mib)},
		"flags of all clients":     {fmt.Sprintf("%d MiB", flags.MaxOwnerSets/mib)},
		"history of all flags":     {fmt.Sprintf("%d MiB", flags.MaxOwnerHistoryBytes/mib)},
		"profiles of all websites": {fmt.Sprintf("%d 000 000; half", store.MaxOwnerProfiles/1_000_000)},
	} {
		for _, bound := range bounds {
			if !strings.Contains(table[name], bound) {
				t.Errorf("the row of %s in docs/security.md does not say %q: %s", name, bound, table[name])
			}
		}
	}
}

// send sends a request to a listener, with a key, unless it is empty.
func (w *walk) send(
	t *testing.T, on listener, method, target, key, contentType string, body io.Reader,
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	r.Header.Set("Accept", "application/json, text/event-stream") // as assistants do
	r.Header.Set("Expect", "100-continue")                        // the sender waits until the server reads the body
	if body != nil {
		r.ContentLength = -1
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	rec := httptest.NewRecorder()
	w.app.handler(w.mounts, on).ServeHTTP(rec, r)
	return rec
}

// endless is a body without an end. It notes how much of it was read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

// slack is the number of bytes that a server may read beyond the bound of a body.
const slack = 64 << 10

func (w *walk) route(t *testing.T, r walked) {
	for _, class := range r.classes {
		if ratelimit.Defaults()[class] == 0 {
			t.Errorf("the rate class %q has no limit", class)
		}
	}
	op, described := w.document.Paths[r.prefix+r.path][strings.ToLower(r.method)]
	if !described || op.OperationID == "" || op.Summary == "" {
		t.Errorf("the OpenAPI document does not describe it: %+v", op)
	}
	for _, status := range []string{"429", "500", "503"} {
		if _, ok := op.Responses[status]; !ok {
			t.Errorf("the OpenAPI document does not describe the status %s, which every route can answer", status)
		}
	}
	if !strings.Contains(w.api, "\n### "+r.String()+"\n") {
		t.Error("docs/api.md has no section about it")
	}
	w.storage(t, r)

	if r.method != http.MethodGet {
		defer w.renew(t) // requests may remove the website or the key
	}
	segments := strings.NewReplacer("{website_id}", w.website, "/keys/{id}", "/keys/"+w.key.ID, "{", "", "}", "")
	target := segments.Replace(r.prefix + r.path)
	for _, p := range op.Parameters {
		if p.In == "query" && slices.Contains([]string{"website_id", "client_id", "clientId"}, p.Name) {
			target += "?" + p.Name + "=" + w.website
			break
		}
	}
	body := &endless{}
	rec := w.send(t, onMain, r.method, target, w.secret, "application/json", body)
	w.described(t, r, op.Responses, rec)
	most := int64(0)
	if r.reads {
		most = max(httpapi.DefaultMaxBody, track.DefaultMaxBody) + slack
	}
	if (rec.Code == http.StatusRequestEntityTooLarge) != r.reads || body.read > most {
		t.Errorf("a body without an end: status %d after %d bytes, want at most %d: %s",
			rec.Code, body.read, most, rec.Body)
	}
	for _, probe := range []struct{ key, contentType, body string }{
		{},
		{key: "unknown"},
		{key: w.secret},
		{key: w.secret, contentType: "text/plain", body: "{}"},
		{key: w.secret, contentType: "application/json", body: "[}"},
		{key: w.secret, contentType: "application/json", body: "{}"},
	} {
		rec := w.send(t, onMain, r.method, target, probe.key, probe.contentType, strings.NewReader(probe.body))
		w.described(t, r, op.Responses, rec)
	}
	w.counted(t, r.handler, r.method+" "+r.path, r.classes)
}

// storage checks that docs/security.md has a bound of everything that requests to r store.
func (w *walk) storage(t *testing.T, r walked) {
	names := strings.Split(r.stores, ", ")
	switch {
	case r.stores == "nothing":
		names = nil
	case r.stores == "" && r.method != http.MethodGet:
		t.Error(`its row lacks what it stores: "nothing", or names of the table "Bytes on disk" in docs/security.md`)
		return
	case r.stores == "":
		names = nil
	}
	if r.keyed {
		names = append(names, "audit entries")
	}
	for _, name := range names {
		if w.stored[name] == "" {
			t.Errorf("it stores %s, which has no bound in the table \"Bytes on disk\" of docs/security.md", name)
		}
	}
}

// described checks that the document has the status of an answer, and that docs/errors.md has the code of an error.
func (w *walk) described(t *testing.T, r walked, responses map[string]json.RawMessage, rec *httptest.ResponseRecorder) {
	t.Helper()
	if _, ok := responses[strconv.Itoa(rec.Code)]; !ok {
		t.Errorf("the OpenAPI document does not describe the status %d, of %s", rec.Code, rec.Body)
	}
	if rec.Code < http.StatusBadRequest || strings.HasPrefix(r.path, "/ofrep/") {
		return // errors of OFREP have codes of that protocol
	}
	var answer struct{ Code string }
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || r.codes[answer.Code] != rec.Code {
		t.Errorf("the answer has the status %d and the code %q, whose status in the table is %d: %s",
			rec.Code, answer.Code, r.codes[answer.Code], rec.Body)
	}
	if !strings.Contains(w.errors, fmt.Sprintf("\n| `%s` | %d |", answer.Code, rec.Code)) {
		t.Errorf("docs/errors.md has no row for %s with the status %d", answer.Code, rec.Code)
	}
}

// counted checks that requests to a route were counted with its class, and with no other one.
func (w *walk) counted(t *testing.T, handler, route string, classes []auth.Class) {
	t.Helper()
	families, err := w.app.metrics.all.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range series.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			same := labels["handler"] == handler && labels["route"] == route
			if family.GetName() != "sightline_requests_total" || !same {
				continue
			}
			found = true
			if !slices.Contains(classes, auth.Class(labels["class"])) {
				t.Errorf("requests counted in the class %q, want %v", labels["class"], classes)
			}
		}
	}
	if !found {
		t.Errorf("sightline_requests_total has no series of the route %q of %s", route, handler)
	}
}

// page checks a handler without a table of routes.
func (w *walk) page(t *testing.T, m mount) {
	if m.page.free == "" {
		t.Error("its row does not say why it needs no rate limit")
	}
	about := read(t, m.page.about)
	named := m.on == onSocket && strings.Contains(about, "`"+install.SocketFile+"`")
	for _, pattern := range m.patterns {
		path := strings.TrimSuffix(pattern[strings.Index(pattern, "/"):], "{$}")
		named = named || strings.Contains(about, path+"`")
		body, spaces := io.Reader(http.NoBody), &endless{}
		if !m.page.owners {
			body = spaces
		}
		w.send(t, m.on, http.MethodPost, path, w.secret, "application/json", body)
		w.send(t, m.on, http.MethodGet, path, w.secret, "", nil)
		if most := m.page.body; spaces.read > 0 != (most > 0) || spaces.read > most+slack {
			t.Errorf("%s: read %d bytes of a body without an end, want at most %d", pattern, spaces.read, most)
		}
		w.counted(t, m.name, pattern, []auth.Class{""})
	}
	if !named {
		t.Errorf("docs/%s names none of its paths %v", m.page.about, m.patterns)
	}
}
