//go:build cgo

package e2e

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/client"
)

// TestAPIClients runs one scenario with the Go client and with a TypeScript client that is generated from
// docs/openapi.json: list, ask, page, compare, an error, 429 with a retry, track, and see it counted. It also runs the
// examples of docs/clients.md.
func TestAPIClients(t *testing.T) {
	t.Parallel()
	p := startRaced(t, filepath.Join(t.TempDir(), "data"), "--demo-days", "7")
	t.Run("Go", func(t *testing.T) { testGoClient(t, p.ready) })
	t.Run("TypeScript", func(t *testing.T) { testTypeScriptClient(t, p) })
	t.Run("the example in Go", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "main.go")
		write(t, file, blocks(t, "go"))
		expectPages(t, p, exec.CommandContext(t.Context(), "go", "run", "-race=false", file), `^(/\S* \d+\n){3}$`)
	})
	p.stop(t)
}

// refused counts the responses with 429.
type refused struct{ count atomic.Int64 }

func (r *refused) RoundTrip(q *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(q)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		r.count.Add(1)
	}
	return resp, err
}

func testGoClient(t *testing.T, r ready) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	site := client.WebsiteID(r.WebsiteID)
	c, err := client.New(client.Config{URL: r.Address, TrackURL: r.TrackAddress, Key: r.Key})
	if err != nil {
		t.Fatal(err)
	}

	sites, err := c.Websites(ctx)
	if err != nil || !slices.ContainsFunc(sites, func(w client.Website) bool { return w.ID == site }) {
		t.Fatalf("websites %+v, %v", sites, err)
	}
	links, linksErr := c.Links(ctx)
	monitors, monitorsErr := c.Monitors(ctx)
	if err := errors.Join(linksErr, monitorsErr); err != nil || len(links) == 0 || len(monitors) == 0 ||
		string(links[0].ID) != r.LinkID {
		t.Errorf("links %+v, monitors %+v, %v", links, monitors, err)
	}
	clicks, err := client.Query[client.LinkTotalClicksRow](ctx, c, client.LinkID(r.LinkID),
		client.Question{Preset: client.PresetLast7d})
	if err != nil || len(clicks.Rows) != 1 {
		t.Errorf("clicks %+v, %v", clicks, err)
	}

	week := client.Question{Preset: client.PresetLast7d, Limit: 100, Compare: client.PreviousPeriod, Totals: true}
	whole, err := client.Query[client.PagesRow](ctx, c, site, week)
	if err != nil || len(whole.Rows) < 3 || whole.Rows[0].Visitors == 0 || len(whole.Changes) != len(whole.Rows) ||
		whole.Totals.Visitors == 0 {
		t.Fatalf("pages %+v, %v", whole, err)
	}
	var paged []string
	for row, err := range client.Rows[client.PagesRow](ctx, c, site,
		client.Question{Preset: client.PresetLast7d, Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		paged = append(paged, row.Path)
	}
	if len(paged) != len(whole.Rows) || paged[0] != whole.Rows[0].Path {
		t.Errorf("pages of two rows have %q, one page has %d rows", paged, len(whole.Rows))
	}

	_, err = client.Query[client.PagesRow](ctx, c, site, client.Question{Preset: client.PresetLast7d, Limit: 20_000})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != client.CodeValidationError ||
		e.Details[0].Field != "parameters[0].limit" {
		t.Errorf("a wrong limit: %v", err)
	}

	testGoClientSaves(ctx, t, c, site)

	key, secret, err := c.CreateKey(ctx, client.NewKey{
		Name: "Slow", Scopes: []client.Scope{client.ScopeReadData},
		Resources: []client.Resource{{Kind: "website", ID: r.WebsiteID}}, PerMinute: 60,
	})
	if err != nil {
		t.Fatal(err)
	}
	if key, err = c.ChangeKey(ctx, key.ID,
		client.KeyChange{Name: new("Slower"), Types: []client.Type{client.TypePages}}); err != nil ||
		key.Name != "Slower" || len(key.Types) != 1 {
		t.Errorf("a changed key: %+v, %v", key, err)
	}
	counter := &refused{}
	slow, err := client.New(client.Config{URL: r.Address, Key: secret, HTTP: &http.Client{Transport: counter}})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := slow.Websites(ctx); err != nil {
			t.Fatalf("a key with 60 requests a minute: %v", err)
		}
		if counter.count.Load() > 0 {
			break
		}
	}
	if counter.count.Load() == 0 {
		t.Error("100 requests of a key with 60 a minute, and none was refused")
	}

	tracker, err := client.NewTracker(c, client.TrackerConfig{Website: site})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 150 {
		// each is sent twice
		event := client.Event{Name: "go_client", ID: "go_" + string(rune('0'+i%75)), ProfileID: "user"}
		if err := tracker.Track(event); err != nil {
			t.Fatal(err)
		}
	}
	if err := tracker.Close(ctx); err != nil || tracker.Stats().Stored != 150 {
		t.Fatalf("Close: %v, %+v", err, tracker.Stats())
	}
	counted, err := client.Query[client.CustomEventsRow](ctx, c, site, client.Question{
		Preset:  client.PresetLast7d,
		Filters: []client.Filter{client.Where(client.FieldEventName, client.OpEq, "go_client")},
	})
	if err != nil || len(counted.Rows) != 1 || counted.Rows[0].TotalEvents != 75 {
		t.Errorf("75 events that were sent twice: %+v, %v", counted, err)
	}
}

// testGoClientSaves saves definitions, uses them by name, asks with a panel token, and evaluates flags.
func testGoClientSaves(ctx context.Context, t *testing.T, c *client.Client, site client.WebsiteID) {
	t.Helper()
	phones, pricing := client.Where(client.FieldDeviceType, client.OpEq, "mobile"),
		client.Action{Page: client.Is("/pricing")}
	goal := client.Goal{Name: "Pricing", Action: pricing}
	funnel := client.FunnelBody{Steps: []client.Step{{Action: client.Action{Page: client.Is("/")}}, {Action: pricing}}}
	err := errors.Join(c.SaveSegment(ctx, site, "Go phones", phones), c.SaveGoal(ctx, site, goal),
		c.SaveFunnel(ctx, site, "Go funnel", funnel),
		c.SaveAnnotation(ctx, site, "Go note", client.AnnotationBody{At: "2026-11-27", Text: "Version 2.1"}))
	if err != nil {
		t.Fatal(err)
	}
	week := func(q client.Question) client.Question {
		q.Preset = client.PresetLast7d
		return q
	}
	answers, err := c.Ask(ctx, site,
		week(client.Question{Type: client.TypeGoals, Saved: client.Saved{"Pricing"},
			Filters: []client.Filter{client.Segment("Go phones")}}),
		week(client.Question{Type: client.TypeGoals, Goals: []client.Goal{goal}, Filters: []client.Filter{phones}}),
		week(client.Question{Type: client.TypeFunnel, Saved: client.Saved{"Go funnel"}}))
	if err != nil {
		t.Fatal(err)
	}
	saved, savedErr := client.Decode[client.GoalsRow](answers[0])
	written, writtenErr := client.Decode[client.GoalsRow](answers[1])
	steps, stepsErr := client.Decode[client.FunnelRow](answers[2])
	if err := errors.Join(savedErr, writtenErr, stepsErr); err != nil ||
		!slices.Equal(values(saved.Rows), values(written.Rows)) || len(steps.Rows) != 2 || steps.Rows[0].Visitors == 0 {
		t.Errorf("saved %+v, written out %+v, funnel %+v, %v", saved, written, steps, err)
	}
	for kind, name := range map[client.DefinitionKind]string{client.DefinitionKindGoal: "Pricing",
		client.DefinitionKindFunnel: "Go funnel", client.DefinitionKindSegment: "Go phones",
		client.DefinitionKindAnnotation: "Go note"} {
		if err := c.RemoveDefinition(ctx, site, kind, name); err != nil {
			t.Errorf("remove a %s: %v", kind, err)
		}
	}
	if self, err := c.Self(ctx); err != nil || self.Kind != "key" ||
		!slices.Contains(self.Scopes, client.ScopeManageDefinitions) || self.Filtered {
		t.Errorf("the own key %+v, %v", self, err)
	}
	if token, err := c.CreateToken(ctx, client.NewToken{TTL: time.Minute}); err != nil || token.Token == "" ||
		time.Until(token.ExpiresAt) > 2*time.Minute {
		t.Errorf("a panel token until %s, %v", token.ExpiresAt, err)
	}
	flags, err := c.EvaluateFlags(ctx, string(site), client.FlagContext{UserID: "user"}, "no-such-flag")
	if err != nil || len(flags) != 0 {
		t.Errorf("flags %+v, %v", flags, err)
	}
}

// values returns the parts of rows that are numbers, to compare them.
func values(rows []client.GoalsRow) (all []int64) {
	for _, row := range rows {
		all = append(all, row.Conversions, row.Visitors)
	}
	return all
}

// testTypeScriptClient generates types, compiles e2e/api-client.ts and the example of docs/clients.md with them, and
// runs both. The compiler has to find a mistake that is planted beside them.
func testTypeScriptClient(t *testing.T, p *process) {
	folder := clients(t)
	write(t, filepath.Join(folder, "example.ts"), blocks(t, "ts"))
	write(t, filepath.Join(folder, "mistake.ts"), `import type { components } from "./openapi.js";`+"\n"+
		`export const asked: components["schemas"]["Query"] = { preset: "last_7d", parameters: [{ name: "pages", sortBy: "visitor" }] };`+"\n")
	document, err := filepath.Abs(filepath.Join(root, "docs", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	generate := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules", ".bin", "openapi-typescript"),
		document, "-o", "openapi.ts")
	generate.Dir = folder
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("openapi-typescript: %v\n%s", err, out)
	}
	compile := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules", ".bin", "tsc"), "--pretty",
		"false")
	compile.Dir = folder
	out, err := compile.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.HasPrefix(string(out), "mistake.ts(2,") ||
		strings.Count(string(out), "error TS") != 1 {
		t.Fatalf("the compiler should find exactly the mistake in mistake.ts: %v\n%s", err, out)
	}
	runNode(t, folder, filepath.Join("build", "api-client.js"), p.line)
	example := exec.CommandContext(t.Context(), "node", filepath.Join("build", "example.js"))
	example.Dir = folder
	expectPages(t, p, example,
		`^(/\S* \d+\n){3}Pricing \d+ \S+\nSignup \d+ \S+\n1 / \d+\n2 /signup \d+\n1 / \d+\n2 /signup \d+\n\w+,.*visitors.*\n(.+\n){3}`)
}

// expectPages runs an example of docs/clients.md, which prints the path and the visitors of three pages, and more as in
// pattern.
func expectPages(t *testing.T, p *process, cmd *exec.Cmd, pattern string) {
	t.Helper()
	if cmd.Dir == "" {
		cmd.Dir = root
	}
	cmd.Env = append(cmd.Environ(), "SIGHTLINE_URL="+p.Address, "SIGHTLINE_KEY="+p.Key)
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(pattern).Match(out) {
		t.Errorf("%v: %v, want %s\n%s", cmd.Args, err, pattern, out)
	}
}

// blocks returns the blocks of docs/clients.md in a language, one after another.
func blocks(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, part := range strings.Split(string(text), "```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "```\n")
		all.WriteString(code)
	}
	return all.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
