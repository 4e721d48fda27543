package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// sound is a small module that breaks no rule, but comes close.
var sound = map[string]string{
	"ARCHITECTURE.md": "# A\n" + fence + "imports\n" +
		"low          # nothing\n" +
		"mid          > low example.com/wanted\n" +
		"db      cgo  > low\n" +
		"             > github.com/duckdb/duckdb-go/v2\n" +
		"proof   test > mid\n" + fence + "\n",
	"low/low.go": "// Package low is low.\npackage low\n\n" +
		"// Clock is one.\ntype Clock struct{}\n\nvar names = map[string]int{}\n\n" +
		"// New returns a clock.\nfunc New() Clock {\n\tnames := map[string]int{}\n\tnames[\"local\"] = 1\n\treturn Clock{}\n}\n",
	"low/low_test.go": "package low\n\nimport \"testing\"\n\nfunc TestLow(t *testing.T) {}\n",
	"mid/mid.go": "// Package mid is above low.\npackage mid\n\nimport (\n\t_ \"" + module +
		"/low\"\n\t_ \"example.com/wanted/part\"\n)\n",
	"mid/mid_test.go": "package mid_test\n\nimport _ \"" + module + "/proof\"\n",
	"db/db.go":        "// Package db needs cgo.\npackage db\n\nimport (\n\t_ \"github.com/duckdb/duckdb-go/v2\"\n\n\t_ \"" + module + "/low\"\n)\n",
	"proof/proof.go": "// Package proof proves.\npackage proof\n\nimport (\n\t\"testing\"\n\n\t_ \"" + module +
		"/mid\"\n)\n\n// Run runs.\nfunc Run(*testing.T) {}\n",
	"nested/go.mod":       "module nested\n",
	"nested/bad.go":       "package bad\n\nfunc Bare() {}\n",
	"mid/testdata/bad.go": "package bad\n\nfunc Bare() {}\n",
	"notes.txt":           "GET /home/ 200\nhttps://site.example/home/start/page\n",
}

// planted returns the sound module with some files added or replaced.
func planted(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, set := range []map[string]string{sound, files} {
		for name, text := range set {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return m
}

func findings(t *testing.T, files map[string]string) (out []finding) {
	t.Helper()
	tr, floors := read(t, planted(files))
	out = checkFloors(tr, floors)
	for _, check := range sourceRules {
		out = append(out, check(tr)...)
	}
	return out
}

func TestASoundTreeHasNoFindings(t *testing.T) {
	report(t, findings(t, nil))
}

// stoppable is code with a goroutine, at line 12 of its file, that has a row.
func stoppable(row string) string {
	return "const most = 1\n\nfunc (w work) end() {}\n\nfunc (w work) close() { <-w.done }\n\n" +
		"func (w work) start() {\n\tw.log(\"could not work\")\n\t" + row + "\n\tgo w.run()\n}\n"
}

func TestPlantedBreachesAreFound(t *testing.T) {
	testenv.WithoutRace(t)
	low := func(text string) map[string]string {
		return map[string]string{"low/x.go": "package low\n\n" + text}
	}
	long := func(command string) map[string]string {
		return map[string]string{".ci/long": "cat <<'EOF'\nlow: it is low\n\t" + command + "\nEOF\n"}
	}
	imports := func(name, pkg, path string) map[string]string {
		return map[string]string{name: "package " + pkg + "\n\nimport _ \"" + path + "\"\n"}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string // a part of each finding
	}{
		{"a link to a heading that no page has",
			map[string]string{"a.md": "[b](docs/b.md#it-has-this-one) [c](docs/b.md#gone)\n",
				"docs/b.md": "## It has `this` one\n[a](../a.md)\n[d](d.md)\n"},
			[]string{"a.md: links to docs/b.md#gone,", "docs/b.md: links to d.md,"}},
		{"a lower floor imports a higher one", imports("low/x.go", "low", module+"/mid"),
			[]string{"low/x.go:3: low may not import " + module + "/mid"}},
		{"a package imports a module that it may not", imports("low/x.go", "low", "example.com/wanted"),
			[]string{"low may not import example.com/wanted"}},
		{"a module whose name only begins alike is another", imports("mid/x.go", "mid", "example.com/wantedtoo"),
			[]string{"mid may not import example.com/wantedtoo"}},
		{"a build tag hides nothing",
			map[string]string{"low/x.go": "//go:build never\n\npackage low\n\nimport _ \"example.com/wanted\"\n"},
			[]string{"low may not import"}},
		{"testing outside tests", imports("low/x.go", "low", "testing"), []string{"imports testing"}},
		{"the driver in a test", imports("mid/x_test.go", "mid", "github.com/duckdb/duckdb-go/v2"),
			[]string{"which needs cgo"}},
		{"the store on the driver in a test", imports("mid/x_test.go", "mid", module+"/db"),
			[]string{"which needs cgo"}},
		{"cgo itself", imports("mid/x.go", "mid", "C"), []string{"imports C, which needs cgo"}},
		{"a test that the build without cgo leaves out",
			map[string]string{"low/x_test.go": "//go:build cgo && linux\n\npackage low\n"},
			[]string{"low/x_test.go:3: low is left out of the build without cgo"}},
		{"a file that only the build without cgo has",
			map[string]string{"low/x.go": "//go:build !cgo\n\npackage low\n"}, nil},
		{"a package that the table does not know",
			map[string]string{"new/new.go": "// Package new is new.\npackage new\n"},
			[]string{"new: is missing in the table"}},
		{
			"production code that may import test support",
			map[string]string{"ARCHITECTURE.md": strings.Replace(sound["ARCHITECTURE.md"], "> low example",
				"> low proof example", 1)},
			[]string{"mid: may not be allowed proof, which is test support",
				"mid: is allowed proof and does not import it"},
		},
		{
			"an import that the table allows and nobody needs",
			map[string]string{"ARCHITECTURE.md": strings.Replace(sound["ARCHITECTURE.md"], "example.com/wanted",
				"example.com/wanted example.com/once", 1)},
			[]string{"mid: is allowed example.com/once and does not import it"},
		},
		{
			"a host that is long and uses internal packages",
			map[string]string{"example/main.go": "// Command example is a host.\npackage main\n\nimport _ \"" + module +
				"/internal/deep\"\n" + strings.Repeat("\n", 100)},
			[]string{"104 lines, more than 100", "a host cannot import " + module + "/internal/deep",
				"example: is missing in the table"},
		},
		{"a host among the examples of the root package that is long",
			map[string]string{"example_own_test.go": "package sightline_test\n" + strings.Repeat("\n", 130)},
			[]string{"131 lines, more than 130", ".: is missing in the table"}},
		{"statements that share a line", low("func two() { _ = 1; _ = 2 }\n"), []string{"two statements on a line"}},
		{"an exported function without a comment", low("func Bare() {}\n"), []string{"Bare has no doc comment"}},
		{"a method without a comment", low("func (Clock) Bare() {}\n\nfunc (names2) Fine() {}\n\ntype names2 int\n"),
			[]string{"Bare has no doc comment"}},
		{"an exported constant without a comment", low("const (\n\tA = 1 // explained\n\tB = 2\n)\n"),
			[]string{"B has no doc comment"}},
		{"a package without a comment",
			map[string]string{"mid/mid.go": strings.TrimPrefix(sound["mid/mid.go"], "// Package mid is above low.\n")},
			[]string{"mid: package without a doc comment"}},
		{"a package variable that is changed", low("func f() { names[\"a\"] = 1 }\n\nvar n int\n\nfunc g() { n++ }\n"),
			[]string{"variable names is changed", "variable n is changed"}},
		{"a package variable that is there to be changed", low("import \"sync\"\n\nvar cache sync.Map\n"),
			[]string{"of type sync.Map"}},
		{"a long proof", long("proof '^(TestLow|TestL.*)$/^part$' ./low"), nil},
		{"a long proof with a command of its own", long("fuzz"), nil},
		{"a list without a long proof", map[string]string{".ci/long": "low\n"}, []string{".ci/long: lists no proof"}},
		{"a long proof whose test is gone", long("proof '^(TestLow|TestHigh)$' ./low"),
			[]string{".ci/long:2: low names the test TestHigh"}},
		{"a long proof of a package without its test", long("proof '^TestLow$' ./low ./mid"),
			[]string{"low runs no test of mid"}},
		{"a long proof with an unusual command", long("go test ./low && proof it"),
			[]string{"low has a command that is not proof"}},
		{"a long proof with a setting that nothing reads", long("SIGHTLINE_NEVER=1 proof '^TestLow$' ./low"),
			[]string{"low sets SIGHTLINE_NEVER, which nothing reads"}},
		{"a text about a long proof that is not there",
			map[string]string{".ci/long": "low: it is low\n\tfuzz\n", "x.md": "`make long-low`,\n`make long-high`\n"},
			[]string{"x.md:2: mentions the long proof high"}},
		{"a package without a promise",
			map[string]string{"docs/stability.md": "| `low`, `db` and `proof` | stable |\n"},
			[]string{"docs/stability.md: does not name mid"}},
		{"a goroutine without a row", low("func f() {\n\tgo f()\n}\n"),
			[]string{"x.go:4: starts a goroutine without a row"}},
		{"a timer and a group without rows",
			low("import \"time\"\n\nfunc (x work) f() {\n\tx.done.Go(x.f)\n\ttime.AfterFunc(1, x.f)\n}\n"),
			[]string{"x.go:6: starts", "x.go:7: starts"}},
		{"a group for which its function waits",
			low("import \"sync\"\n\nfunc f() {\n\tvar all sync.WaitGroup\n\tall.Go(f)\n\tall.Wait()\n}\n"), nil},
		{"a goroutine with a row", low(stoppable("//background:stop=close bound=most fails=\"could not work\"")), nil},
		{"a goroutine that nobody can stop", low(stoppable("//background:stop=end bound=most fails=caller")),
			[]string{"x.go:12: no function end of the package waits"}},
		{"a goroutine without a bound", low(stoppable("//background:stop=ctx bound=least fails=none")),
			[]string{"x.go:12: the package has no bound least"}},
		{"a goroutine whose failures nobody sees",
			low(stoppable("//background:stop=ctx bound=one fails=\"went wrong\"")),
			[]string{"x.go:12: the package has no log message"}},
		{"a row of another form", low(stoppable("//background:stop=close")),
			[]string{"x.go:12: has a row of another form"}},
		{"a row without a goroutine", low("//background:stop=ctx bound=one fails=none\nfunc f() {}\n"),
			[]string{"x.go:3: a row without a goroutine"}},
		{"a home folder", map[string]string{"x.md": "see \"/home/" + "somebody/notes\"\n"},
			[]string{"x.md: names the folder"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := findings(t, tt.files)
			if len(got) != len(tt.want) {
				t.Fatalf("findings = %v, want %d", got, len(tt.want))
			}
			for _, w := range tt.want {
				if !slices.ContainsFunc(got, func(f finding) bool { return strings.Contains(f.String(), w) }) {
					t.Errorf("want a finding with %q: %v", w, got)
				}
			}
		})
	}
}

func TestATableRowWithoutAPackageIsFound(t *testing.T) {
	files := planted(nil)
	maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool { return name == "db/db.go" })
	tr, floors := read(t, files)
	got := checkFloors(tr, floors)
	if len(got) != 1 || !strings.Contains(got[0].String(), "db: stands in the table") {
		t.Errorf("findings = %v, want one about db", got)
	}
}

func TestFaultsOfTheTableAreErrors(t *testing.T) {
	for _, tt := range []struct{ name, markdown, want string }{
		{"no block", "# A\n", "no block"},
		{"a package twice", fence + "imports\na\na > b\n" + fence, "a occurs twice"},
		{"an unknown mark", fence + "imports\na magic > b\n" + fence, `unknown mark "magic"`},
		{"imports of nobody", fence + "imports\n> b\n" + fence, "before the first package"},
	} {
		if _, err := parseTable(tt.markdown); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v, want one that says %q", tt.name, err, tt.want)
		}
	}
}

func TestPlantedLinksAreFound(t *testing.T) {
	testenv.WithoutRace(t)
	const wanted, needed, stray = "github.com/huandu/go-sqlbuilder", "github.com/huandu/go-clone", "example.com/stray"
	const text = "# Links\n\n| `httpapi` | " + wanted + ", " + needed + " |\n| `track` | " + stray + " |\n"
	of := func(path string) *struct{ Path string } { return &struct{ Path string }{path} }
	world := func(handler ...string) []listed {
		return []listed{
			{ImportPath: "net", Standard: true, CgoFiles: []string{"cgo.go"}},
			{ImportPath: "vendor/golang.org/x/net/idna", Standard: true},
			{ImportPath: needed + "/part", Module: of(needed)},
			{ImportPath: wanted, Module: of(wanted), Deps: []string{needed + "/part"}},
			{ImportPath: stray, Module: of(stray), CgoFiles: []string{"c.go"}},
			{ImportPath: module + "/query", Module: of(module)},
			{ImportPath: module + "/httpapi", Module: of(module), Deps: append(handler, module+"/query")},
			{ImportPath: module + "/httpapi.test",
				Deps: []string{module + "/httpapi [" + module + "/httpapi.test]", "net"}},
			{ImportPath: module + "/db", Deps: []string{stray}},
		}
	}
	floors := table{"httpapi": {}, "db": {cgo: true}}
	for _, tt := range []struct {
		name    string
		world   []listed
		handler string
		cgo     string
	}{
		{"the builder and what it needs are listed",
			world("net", "vendor/golang.org/x/net/idna", wanted, needed+"/part"), "", ""},
		{"another module is not, nor is its cgo", world(wanted, needed+"/part", stray), "httpapi links " + stray,
			"httpapi: needs cgo because of " + stray},
		{"a listed module is not linked", world(needed + "/part"), "httpapi does not link " + wanted, ""},
		{
			"a test program that needs cgo",
			append(world(wanted, needed+"/part"),
				listed{ImportPath: module + "/httpapi_test [" + module + "/httpapi.test]", Deps: []string{stray}}),
			"", "httpapi.test]: needs cgo because of " + stray,
		},
		{"no handler at all", nil, "httpapi: is not listed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one(t, checkHandlerClosure(tt.world, text, "httpapi"), tt.handler)
			one(t, checkCgo(tt.world, floors), tt.cgo)
		})
	}
}

// one checks for exactly one finding, with want in it, or for none if want is empty.
func one(t *testing.T, got []finding, want string) {
	t.Helper()
	if want == "" && len(got) > 0 {
		t.Errorf("findings = %v, want none", got)
	}
	if want != "" && (len(got) != 1 || !strings.Contains(got[0].String(), want)) {
		t.Errorf("findings = %v, want one that says %q", got, want)
	}
}
