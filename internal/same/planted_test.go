package same

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recorded is an answer of the program, which names its random id twice.
func recorded(id string) answer {
	return answer{status: http.StatusOK,
		header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {id},
			"Etag": {`"R4QS5ZDY-iS2dOFIyh0L-w"`}, "X-Ratelimit-Remaining": {"599"}},
		body: `{"success":true,"requestId":"` + id +
			`","data":[{"bounce_rate":31.01,"until":"2026-11-21T18:00:00.000Z"}],` +
			`"error":"the parameter limit must be at most 1000"}`}
}

const (
	oldID = "0b6f43aa-6b1f-4c37-9f59-d41fd5a6bd2c"
	newID = "51c9f7e0-0f3f-43be-8f0e-1df2c6a3f3d1"
)

// TestPlantedChanges checks that each planted change of an answer is found, and that equal answers are equal.
func TestPlantedChanges(t *testing.T) {
	for _, row := range []struct {
		name  string
		plant func(a *answer)
		want  string // part of the difference; "": none
	}{
		{"nothing but the random id", func(*answer) {}, ""},
		{"a header that may differ", func(a *answer) { a.header.Set("X-RateLimit-Remaining", "12") }, ""},
		{"a status", func(a *answer) { a.status = http.StatusAccepted }, "status 200 became 202"},
		{"a header", func(a *answer) { a.header.Set("Content-Type", "text/json") }, "header Content-Type: "},
		{"a header more", func(a *answer) { a.header.Set("Vary", "Accept") }, "header Vary: "},
		{"an error text", replaced("must be at most", "is more than"), "body: "},
		{"a rounding", replaced("31.01", "31.02"), "body: "},
		{"a time", replaced("18:00:00.000Z", "18:00:00.001Z"), "body: "},
		{"a member more", replaced(`"success":true,`, `"success":true,"more":1,`), "body: "},
		{"an end that is missing", func(a *answer) { a.body = a.body[:len(a.body)-1] }, "body: "},
		{"another tag", func(a *answer) { a.header.Set("Etag", `"S4QS5ZDY-iS2dOFIyh0L-w"`) }, ""},
		{"no tag", func(a *answer) { a.header.Del("Etag") }, "header Etag: "},
		{"a tag of another form", func(a *answer) { a.header.Set("Etag", `"1"`) }, "header Etag: "},
		{"another id in the body", replaced(newID, "99c9f7e0-0f3f-43be-8f0e-1df2c6a3f3d1"), "body: "},
		{"the id of the old program", replaced(newID, oldID), "body: "},
	} {
		after := recorded(newID)
		row.plant(&after)
		found := strings.Join(newPairs().compared("GET /v1/x", recorded(oldID), after), "; ")
		if (found != "") != (row.want != "") || !strings.Contains(found, row.want) {
			t.Errorf("%s: found %q, want %q", row.name, found, row.want)
		}
	}
}

func replaced(was, is string) func(*answer) {
	return func(a *answer) { a.body = strings.ReplaceAll(a.body, was, is) }
}

// TestPlantedChangesOfTheTrail checks that a changed audit field is found, and that merged uses are not.
func TestPlantedChangesOfTheTrail(t *testing.T) {
	const use = `{"time":"2026-11-29T17:13:48.000Z","status":200,"route":"/v1/keys","key":"` + oldID +
		`","requestId":"req_%","requests":#,"chain":"c%","number":%}`
	entry := func(number, requests string) string {
		return strings.NewReplacer("%", number, "#", requests).Replace(use)
	}
	p := newPairs()
	if d := p.differ(oldID, newID); d != "" {
		t.Fatal(d)
	}
	before := []json.RawMessage{json.RawMessage(entry("1", "2")), json.RawMessage(entry("2", "1"))}
	good := strings.Replace(entry("7", "3"), oldID, newID, 1)
	for _, row := range []struct {
		name, after string
		found       int
	}{
		{"merged uses", good, 0},
		{"another status", strings.Replace(good, "200", "201", 1), 2},
		{"another number of uses", strings.Replace(good, `"requests":3`, `"requests":4`, 1), 1},
		{"a member less", strings.Replace(good, `"route":"/v1/keys",`, "", 1), 2},
		{"another id", strings.Replace(good, newID, oldID, 1), 2},
	} {
		d, err := p.trailsDiffer(before, []json.RawMessage{json.RawMessage(row.after)})
		if err != nil || len(d) != row.found {
			t.Errorf("%s: found %q, %v; want %d", row.name, d, err, row.found)
		}
	}
}

// TestExpectations checks that a line needs a reason, and that one that is met says so.
func TestExpectations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "expected.txt")
	read := func(text string) ([]*expectation, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return expectations(file)
	}
	if _, err := read("header Vary\n"); err == nil {
		t.Error("a line without a reason is accepted")
	}
	all, err := read("# why\nheader Vary\tit is new\nbody\tit is shorter\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d expectations, %v", len(all), err)
	}
	if !expected(all, "GET /x: header Vary: …") || expected(all, "GET /x: status 1 became 2") ||
		!all[0].met.Load() || slices.ContainsFunc(all[1:], func(e *expectation) bool { return e.met.Load() }) {
		t.Error("the wrong difference is expected")
	}
}
