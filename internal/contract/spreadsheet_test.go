package contract

import (
	"archive/zip"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
)

// TestSpreadsheet opens pages as CSV in LibreOffice, which must show the same cells and compute nothing.
func TestSpreadsheet(t *testing.T) {
	testenv.Night(t, "spreadsheet")
	office := testenv.Program(t, "soffice")
	paths := []string{"=1+2", "+1", "-1", "@SUM(A1:A9)", "/plain", "/a,b", `/"quoted"`, "/ünicode", "/=1"}
	w := newWorld(t, func(rows *store.Batch) {
		rows.Events = nil
		for i, path := range paths {
			rows.Events = append(rows.Events,
				store.Event{Website: sightlinetest.Website, ID: path, Kind: store.Pageview, Name: "screen_view",
					Path:     path,
					Time:     sightlinetest.Start().Add(-time.Duration(i+1) * time.Minute),
					Identity: store.Identity{AnonymousID: path, SessionID: path}})
		}
	})
	rec := w.send(request{Method: "GET", Target: "/v1/query?website_id=" + sightlinetest.Website +
		"&parameters=pages&preset=today",
		Header: map[string]string{"X-Api-Key": w.key, "Accept": "text/csv"}})
	sent, err := csv.NewReader(strings.NewReader(rec.Body.String())).ReadAll()
	if err != nil || len(sent) != len(paths)+1 {
		t.Fatalf("status %d, %d lines, %v: %s", rec.Code, len(sent), err, rec.Body)
	}
	dir := t.TempDir()
	convert := func(file, format string, options ...string) string {
		args := append([]string{"-env:UserInstallation=file://" + dir + "/profile", "--headless", "--convert-to",
			format, "--outdir", filepath.Join(dir, "out")}, options...)
		cmd := exec.CommandContext(t.Context(), office, append(args, file)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		kind, _, _ := strings.Cut(format, ":")
		return filepath.Join(dir, "out", name+"."+kind)
	}
	file := filepath.Join(dir, "pages.csv")
	if err := os.WriteFile(file, rec.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	book := convert(file, "xlsx", "--infilter=CSV:44,34,76,1") // commas, quotes, UTF-8, from the first line
	if sheet := part(t, book, "xl/worksheets/sheet1.xml"); strings.Contains(sheet, "<f") ||
		!strings.Contains(sheet, "<v>1</v>") {
		t.Errorf("the sheet has formulas, or no numbers: %s", sheet)
	}
	text, err := os.ReadFile(convert(book, "csv:Text - txt - csv (StarCalc):44,34,76,1"))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || !reflect.DeepEqual(shown, sent) {
		t.Errorf("the spreadsheet shows\n%q\nwant\n%q, %v", shown, sent, err)
	}
	if !strings.Contains(string(text), "'=1+2") {
		t.Errorf("the spreadsheet lacks the path =1+2 as a text: %s", text)
	}
}

// part returns a file of a workbook.
func part(t *testing.T, book, name string) string {
	t.Helper()
	z, err := zip.OpenReader(book)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
