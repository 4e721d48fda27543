//go:build cgo

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestErase shows and erases persons: in the file, through the socket of a running server, and over HTTP.
func TestErase(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, _ := withDataset(t)
	in.do(t, "owners", "add", "--id", "acme")
	in.do(t, "websites", "add", "--id", "site-1", "--owner", "acme", "--name", "One", "--domain", "one.example")
	erase := func(code int, options ...string) (*erasure.Report, string) {
		t.Helper()
		out, errs, got := in.try(t, append([]string{"erase", "--json", "--website", "site-1"}, options...)...)
		if got != code {
			t.Fatalf("erase %v: exit code %d, want %d: %s", options, got, code, errs)
		}
		var r erasure.Report
		if code == 0 && out != "" {
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return &r, errs
	}
	shown := func(option string) int {
		t.Helper()
		out, errs, code := in.try(t, "subject", "--website", "site-1", option)
		if code != 0 {
			t.Fatalf("subject %s: %s", option, errs)
		}
		return strings.Count(out, "\n")
	}
	check := func(where, option string) {
		t.Helper()
		before := shown(option)
		report, _ := erase(0, option, "--yes")
		sum := int64(0)
		for _, n := range report.Removed {
			sum += n
		}
		if before == 0 || sum < int64(before) || shown(option) != 0 { // a vital is one line of several rows
			t.Errorf("%s, %s: %d lines before, %d rows removed, %d lines left", where, option, before, sum,
				shown(option))
		}
	}
	if _, errs := erase(2, "--visitor", "ben"); !strings.Contains(errs, "--yes") {
		t.Errorf("without --yes: %s", errs)
	}
	if _, errs := erase(2); !strings.Contains(errs, "--visitor, --profile, --all or --purge") {
		t.Errorf("without a person: %s", errs)
	}
	if _, errs, code := in.try(t, "subject", "--website", "nobody", "--visitor", "ben"); code != 1 ||
		!strings.Contains(errs, `website "nobody" does not exist`) {
		t.Errorf("an unknown website: %s", errs)
	}
	check("in the file", "--visitor=ben")

	p := in.serve(t)
	check("through the socket", "--profile=userX3")
	key := in.secret(t, "keys", "add", "--owner", "acme", "--all", "--scope", "erase:data")
	before := shown("--visitor=o'neil")
	status, body := p.send(t, "DELETE", "/v1/visitors/o%27neil?website_id=site-1", key, "")
	if status != 200 || !strings.HasPrefix(body,
		`{"success":true,"website_id":"site-1","kind":"visitor","id":"o'neil","removed":{`) || before == 0 ||
		shown("--visitor=o'neil") != 0 {
		t.Errorf("HTTP: status %d, %s", status, body)
	}
	if _, errs := erase(0, "--all", "--yes", "--purge"); !strings.Contains(errs, "the files are rewritten") {
		t.Errorf("--purge: %s", errs)
	}
	if out, _ := in.export(t, 0, "--website", "site-2"); out == "" {
		t.Error("the other website has no rows")
	}
	if report, _ := erase(0, "--all", "--yes"); report.Removed["events"] != 0 {
		t.Errorf("again: %+v", report)
	}
}
