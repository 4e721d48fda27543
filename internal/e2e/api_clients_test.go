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

// TestAPIClients runs one scenario with the Go client and with the package client/typescript: list, ask, page, compare,
// an error, 429 with a retry, track, and see it counted. It also runs the examples of docs/clients.md.
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
	// A file or an environment variable may end in a line feed.
	c, err := client.New(client.Config{URL: r.Address, TrackURL: r.TrackAddress, Key: r.Key + "\n"})
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

// testTypeScriptClient compiles the scenario, the example of docs/clients.md and the types of the tracker with the
// package, and runs them. The compiler has to find a mistake that is planted beside them.
func testTypeScriptClient(t *testing.T, p *process) {
	folder := packageUser(t)
	readme, err := os.ReadFile(filepath.Join(root, "client", "typescript", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := blocks(t, "ts")
	_, shown, _ := strings.Cut(string(readme), "```ts\n")
	if shown, _, _ = strings.Cut(shown, "```"); shown == "" || !strings.HasPrefix(example, shown) {
		t.Error("the example of the package's README is not the beginning of the one in docs/clients.md")
	}
	write(t, filepath.Join(folder, "example.ts"), example)
	write(t, filepath.Join(folder, "mistake.ts"), `import { createClient } from "@sightline-analytics/client";`+"\n"+
		`const api = createClient({ url: "http://localhost" }), site = { website_id: "" };`+"\n"+
		`void api.query(site, { parameters: [{ name: "pages", sortedBy: "x" }] });`+"\n")
	write(t, filepath.Join(folder, "required.cts"), `import client = require("@sightline-analytics/client");`+"\n"+
		`import type { Tracker } from "@sightline-analytics/client/browser";`+"\n"+
		`export const [page, pages]: [Tracker["screenView"]?, client.Row<"pages">?] = [];`+"\n")
	out, err := inFolder(t, folder, compiler, "--pretty", "false").CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.HasPrefix(string(out), "mistake.ts(3,") ||
		strings.Count(string(out), "error TS") != 1 {
		t.Fatalf("the compiler should find exactly the mistake in mistake.ts: %v\n%s", err, out)
	}
	compileCommonJS(t, folder)
	runNode(t, folder, filepath.Join("build", "api-client.js"), p.line)
	runNode(t, folder, filepath.Join("commonjs", "api-client.js"), p.line)
	mustRun(t, inFolder(t, folder, "node", filepath.Join("build", "tracker-types.js"),
		absolute(t, "track", "tracker", "tracker.js"), absolute(t, "docs", "tracker.md")))
	expectPages(t, p, inFolder(t, folder, "node", filepath.Join("build", "example.js")),
		`^(/\S* \d+\n){3}Pricing \d+ \S+\nSignup \d+ \S+\n(1 / \d+\n2 /signup \d+\n){2}`+
			`\w+,.*visitors.*\n(.+\n){3}\nfalse\n$`)
}

// compiler is the path of tsc in the folder that packageUser returns.
const compiler = "../../node_modules/.bin/tsc"

// packageUser packs client/typescript, and returns a fresh folder with the programs that use it and the installed
// package. The folder is next to the modules of the other clients, where it finds the compiler.
func packageUser(t *testing.T) string {
	t.Helper()
	parent := filepath.Join(clients(t), "package-"+strings.ReplaceAll(t.Name(), "/", "-"))
	source, folder := filepath.Join(parent, "client", "typescript"), filepath.Join(parent, "user")
	err := os.CopyFS(filepath.Join(source, "src"), os.DirFS(absolute(t, "client", "typescript", "src")))
	if err := errors.Join(err, os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"LICENSE": parent, "client/typescript/package.json": source, "client/typescript/tsconfig.json": source,
		"client/typescript/README.md": source, "e2e/api-client.ts": folder, "e2e/api-scenario.ts": folder,
		"e2e/tracker-types.ts": folder, "e2e/tsconfig.json": folder,
	} {
		text, err := os.ReadFile(absolute(t, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, filepath.Base(from)), string(text))
	}
	write(t, filepath.Join(folder, "package.json"), `{"private":true,"type":"module"}`)
	mustRun(t, inFolder(t, source, "npm", "pack", "--silent", "--pack-destination", folder))
	packed, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("npm pack made %q, %v", packed, err)
	}
	mustRun(t, inFolder(t, folder, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund",
		packed[0]))
	return folder
}

// compileCommonJS compiles the scenario as CommonJS, with the resolution of modules that ignores the field exports.
func compileCommonJS(t *testing.T, folder string) {
	t.Helper()
	mustRun(t, inFolder(t, folder, compiler, "--strict", "--target", "es2022", "--lib", "es2023", "--types", "node",
		"--module", "commonjs", "--moduleResolution", "node10", "--skipLibCheck", "false", "--outDir", "commonjs",
		"api-client.ts"))
	write(t, filepath.Join(folder, "commonjs", "package.json"), `{"type":"commonjs"}`)
}

func inFolder(t *testing.T, folder, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	return cmd
}

func mustRun(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// absolute returns the absolute path of a file of the module.
func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{root}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
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
