//go:build cgo

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// write writes a file and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestImportDocument imports the row and the profile in docs/import.md, into a running server and into a folder without
// one.
func TestImportDocument(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, p, key := demoWebsite(t)
	document := read(t, "../../../docs/import.md")
	row := write(t, "export.jsonl", block(t, document, "json", `"table":"events"`)+"\n"+
		block(t, document, "json", `"table":"profiles"`))
	want := "taken: 2 of 2 records, as 2 rows\nstored now: 1 rows; 1 profiles\n"
	if out := in.do(t, "import", "--website", "web_demo", row); !strings.HasSuffix(out, want) {
		t.Errorf("beside a server: %s, want %s", out, want)
	}
	status, answer := p.post(t, "/v1/query?website_id=web_demo", key,
		`{"startDate":"2026-11-21","endDate":"2026-11-21","parameters":["pages"]}`)
	if status != 200 || !strings.Contains(answer, `"path":"/pricing"`) {
		t.Errorf("the imported row: %d, %s", status, answer)
	}
	alone := installed{dir: t.TempDir()}
	alone.do(t, "websites", "add", "--id", "web_demo", "--domain", "shop.example")
	if out := alone.do(t, "import", "--website", "web_demo", row); !strings.HasSuffix(out, want) {
		t.Errorf("without a server: %s, want %s", out, want)
	}
}

// TestImportUndo takes an import back beside a running server, and without one, and imports the same file again.
func TestImportUndo(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, p, key := demoWebsite(t)
	file := write(t, "rows.ndjson",
		`{"table":"events","website":"w","event_id":"e1","time":"2026-11-21T10:00:00.000Z","path":"/imported","name":"screen_view"}`)
	for range 2 {
		in.do(t, "import", "--website", "web_demo", file)
		var listed []struct {
			ID     string   `json:"id"`
			Stored int      `json:"stored"`
			Files  []string `json:"files"`
		}
		list := in.do(t, "import", "list", "--json", "--website", "web_demo")
		if err := json.Unmarshal([]byte(list), &listed); err != nil ||
			len(listed) != 1 || listed[0].Stored != 1 || len(listed[0].Files) != 1 {
			t.Fatalf("import list: %+v, %v", listed, err)
		}
		asked := func() bool {
			_, answer := p.post(t, "/v1/query?website_id=web_demo", key,
				`{"startDate":"2026-11-21","endDate":"2026-11-21","parameters":["pages"]}`)
			return strings.Contains(answer, `"path":"/imported"`)
		}
		if !asked() {
			t.Error("the imported row is missing")
		}
		if out := in.do(t, "import", "undo", "--website", "web_demo", listed[0].ID); out != "events: 1\n" || asked() {
			t.Errorf("import undo: %s; the row is still answered: %t", out, asked())
		}
		if _, errs, code := in.try(t, "import", "undo", "--website", "web_demo", listed[0].ID); code != 1 ||
			!strings.Contains(errs, "does not exist") {
			t.Errorf("import undo again: exit code %d, %s", code, errs)
		}
	}
	alone := installed{dir: t.TempDir()}
	alone.do(t, "websites", "add", "--id", "web_demo", "--domain", "shop.example")
	out := alone.do(t, "import", "--website", "web_demo", file)
	_, id, _ := strings.Cut(out, "import imp_")
	id, _, _ = strings.Cut(id, "\n")
	if out := alone.do(t, "import", "undo", "--website", "web_demo", "imp_"+id); out != "events: 1\n" {
		t.Errorf("without a server: %s", out)
	}
}

// TestImportStatus checks exit statuses and reports.
func TestImportStatus(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in := installed{dir: t.TempDir()}
	if _, errs, code := in.try(t, "import", "--website", "w", "/dev/null"); code != 1 ||
		!strings.Contains(errs, "no data") {
		t.Errorf("without data: exit code %d, %s", code, errs)
	}
	in.do(t, "websites", "add", "--id", "web_a", "--domain", "shop.example")
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
	good := `192.0.2.1 - - [20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "` + agent + "\"\n"
	csv := write(t, "own.csv", "at,page,who\n2026-11-20,/b,v1\n")
	for _, c := range []struct {
		why  string
		args []string
		code int
		out  string
		errs string
	}{
		{"an unknown website", []string{"--website", "web_b", csv}, 1, "", `website "web_b" does not exist`},
		{"a missing file", []string{"--website", "web_a", "no-such.log"}, 1, "", "no-such.log does not exist"},
		{"an unknown field", []string{"--website", "web_a", "--map", "path=page", csv}, 1, "", `unknown field "path"`},
		{"a file without a format", []string{"--website", "web_a", csv}, 4,
			"not imported: its first lines have no known format", "some files"},
		{"an empty file", []string{"--website", "web_a", write(t, "empty.log", "")}, 0, "empty.log: empty\n", ""},
		{"a dry run", []string{"--dry-run", "--website", "web_a", write(t, "a.log", good)}, 0,
			"2026-11-20  1     1       0\n", ""},
		{"a good file", []string{"--website", "web_a", write(t, "a.log", good)}, 0, "stored now: 1 rows\n", ""},
		{"the same content", []string{"--website", "web_a", write(t, "b.log", good)}, 0, "b.log: imported before\n",
			""},
		{"again", []string{"--website", "web_a", "--again", write(t, "b.log", good)}, 0,
			"stored now: 0 rows; 1 were stored before\n", ""},
		{"a damaged line", []string{"--website", "web_a", write(t, "c.log", "damaged\x1b[31m\n"+good)}, 4,
			"skipped: 1 could not be read\n", "see the report"},
		{"named columns", []string{"--website", "web_a", "--map", "time=at", "--map", "url=page", "--map",
			"visitor=who", csv}, 0, "own.csv: csv, 1 of 1 records taken\n", ""},
		{"a geoip file that does not exist", []string{"--website", "web_a", "--geoip", "no.mmdb", csv}, 1, "",
			"--geoip: "},
		{"no rows", []string{"--website", "web_a", "--rows", "0", csv}, 2, "", "--rows must be at least 1"},
	} {
		out, errs, code := in.try(t, append([]string{"import"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) ||
			strings.Contains(out, "\x1b") {
			t.Errorf("%s: exit code %d, want %d, %q and %q\n%s%s", c.why, code, c.code, c.out, c.errs, out, errs)
		}
	}
	out, _, code := in.try(t, "import", "--json", "--website", "web_a", write(t, "d.log", "x\n"+good+"y\n"))
	var r importer.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 4 || r.Taken != 1 || len(r.Skipped) != 1 ||
		r.Skipped[0].Count != 2 || len(r.Skipped[0].First) != 2 {
		t.Errorf("as JSON: exit code %d, %v\n%s", code, err, out)
	}
}

func TestImportProgress(t *testing.T) {
	p := importer.Progress{Source: "/var/log/a.log", Ended: 1, Sources: 3, Read: 25, Size: 100, Records: 1000,
		Taken: 400}
	for want, got := range map[string]string{
		"importing a.log (2 of 3) [======                  ]  25 %, 1000 records, 400 taken": progressText(p, true),
		"importing a.log (2 of 3)  25 %, 1000 records, 400 taken":                            progressText(p, false),
		"reading again stdin, 5 records, 2 taken":                                            progressText(importer.Progress{Source: "stdin", Sources: 1, Records: 5, Taken: 2, Again: true}, true),
	} {
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	var said strings.Builder
	now := time.Unix(0, 0)
	bar := newImportBar(environment{errs: &said, now: func() time.Time { return now }})
	for range 10 {
		bar.show(p)
		now = now.Add(time.Second)
	}
	bar.end()
	if n := strings.Count(said.String(), "\n"); n != 4 || strings.Contains(said.String(), "\r") {
		t.Errorf("%d lines in ten seconds, want 4:\n%s", n, said.String())
	}
}

// TestErasePersonOfImport imports a person from each format with ids of visitors, and finds and erases the person by
// the id that the other program gave. Another website has another id for the same person. The person stays away from
// later imports without --restore-erased.
func TestErasePersonOfImport(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in := installed{dir: t.TempDir()}
	for _, id := range []string{"web_a", "web_b"} {
		in.do(t, "websites", "add", "--id", id, "--domain", "shop.example")
	}
	pageview := `{"time":"2026-11-20T10:00:00Z","url":"/a","visitor":"person-1"}` + "\n"
	stored := map[string]bool{}
	for name, c := range map[string]struct {
		content string
		options []string
	}{
		"umami.csv": {"session_id,visit_id,event_id,url_path,event_type,created_at\nperson-1,v1,e1,/,1,2026-11-20 10:00:00\n", nil},
		"goatcounter.csv": {"2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date\n" +
			"/,Home,0,,Firefox 130,Windows 10,person-1,0,,,,DE,1,2026-11-20T10:00:00Z\n", nil},
		"matomo.json": {`[{"idVisit":1,"visitorId":"person-1","actionDetails":[{"type":"action","url":"https://shop.example/a","timestamp":1795168800}]}]`, nil},
		"own.csv":     {"time,url,visitor\n2026-11-20,/a,person-1\n", []string{"--map", "time=time"}},
		"own.jsonl":   {pageview, []string{"--map", "time=time"}},
	} {
		file := write(t, name, c.content)
		for _, website := range []string{"web_a", "web_b"} {
			in.do(t, append([]string{"import", "--restore-erased", "--website", website, file}, c.options...)...)
		}
		person := []string{"--website", "web_a", "--visitor", "person-1"}
		shown, errs, _ := in.try(t, append([]string{"subject"}, person...)...)
		var row struct {
			AnonymousID string `json:"anonymous_id"`
		}
		if err := json.Unmarshal([]byte(shown), &row); err != nil || row.AnonymousID == "" {
			t.Errorf("%s: subject shows %q, %v: %s", name, shown, err, errs)
		}
		stored[row.AnonymousID] = true
		if out, errs, _ := in.try(t, append([]string{"erase", "--yes"}, person...)...); !strings.Contains(out,
			"events    1") {
			t.Errorf("%s: erase: %s%s", name, out, errs)
		}
		if out, _, _ := in.try(t, append([]string{"subject"}, person...)...); out != "" {
			t.Errorf("%s: after erase: %s", name, out)
		}
		in.do(t, append([]string{"import", "--again", "--website", "web_a", file}, c.options...)...)
		if out, _, _ := in.try(t, append([]string{"subject"}, person...)...); out != "" {
			t.Errorf("%s: imported again after erase: %s", name, out)
		}
	}
	other, _, _ := in.try(t, "subject", "--website", "web_b", "--visitor", "person-1")
	if strings.Count(other, "\n") != 5 || len(stored) != 1 {
		t.Errorf("ids %v, and on the other website: %s", stored, other)
	}
	for id := range stored {
		if strings.Contains(other, id) {
			t.Error("both websites have the same id of the person")
		}
	}
}
