package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// proofList is the script that lists the long proofs.
const proofList = ".ci/long"

var (
	proofPattern  = regexp.MustCompile(`^([a-z0-9-]+): .+\n\t(.+)$`)
	testedPattern = regexp.MustCompile(`proof '([^']+)'((?: \./[a-z0-9/]+)+)$`)
	settingNames  = regexp.MustCompile(`SIGHTLINE_[A-Z_]+`)
	proofMentions = regexp.MustCompile(`(?:make long-|testenv\.Night\(t, ")([a-z0-9-]+)`)
)

// A proof is an entry of the list: its name, the number of its first line, and its command.
type proof struct {
	name    string
	line    int
	command string
}

// checkProofs finds long proofs that run no test, or set a variable that no Go file reads. It also finds texts
// that mention a proof that is not in the list. Without this check, renaming a test could turn a proof into a
// command that runs nothing and passes.
func checkProofs(t *tree) (out []finding) {
	list, ok := t.texts[proofList]
	if !ok {
		return nil
	}
	proofs := parseProofs(list)
	if len(proofs) == 0 {
		return []finding{{"proofs", proofList, "lists no proof"}}
	}
	tests, settings := t.tests(), t.settings()
	for _, p := range proofs {
		at := proofList + ":" + strconv.Itoa(p.line)
		for _, text := range append(p.withoutTest(tests), p.unread(settings)...) {
			out = append(out, finding{"proofs", at, p.name + " " + text})
		}
	}
	return append(out, t.unlisted(proofs)...)
}

// parseProofs returns the entries of the list: two lines each, in a here-document.
func parseProofs(script string) (out []proof) {
	lines := strings.Split(script, "\n")
	for i := range lines[:len(lines)-1] {
		if m := proofPattern.FindStringSubmatch(lines[i] + "\n" + lines[i+1]); m != nil {
			out = append(out, proof{m[1], i + 1, m[2]})
		}
	}
	return out
}

// withoutTest returns the parts of the command of p that run no test: alternatives of the pattern that match no
// test of the packages, and packages without a matching test. It returns nothing if the command does not run
// tests.
func (p proof) withoutTest(tests map[string][]string) (out []string) {
	m := testedPattern.FindStringSubmatch(p.command)
	if m == nil {
		if !strings.Contains(p.command, "proof ") {
			return nil // the command does not run tests
		}
		return []string{"has a command that is not proof 'PATTERN' PACKAGE…"}
	}
	top, _, _ := strings.Cut(m[1], "$/")
	dirs := strings.Fields(strings.ReplaceAll(m[2], "./", ""))
	found := map[string]bool{}
	for alternative := range strings.SplitSeq(strings.Trim(top, "^$()"), "|") {
		pattern, err := regexp.Compile("^(" + alternative + ")$")
		if err != nil {
			return []string{err.Error()}
		}
		matched := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
			return !slices.ContainsFunc(tests[dir], pattern.MatchString)
		})
		if len(matched) == 0 {
			out = append(out, fmt.Sprintf("names the test %s, which does not exist", alternative))
		}
		for _, dir := range matched {
			found[dir] = true
		}
	}
	for _, dir := range dirs {
		if !found[dir] {
			out = append(out, "runs no test of "+dir)
		}
	}
	return out
}

// unread returns the variables that p sets and no Go file reads.
func (p proof) unread(settings map[string]bool) (out []string) {
	for _, name := range settingNames.FindAllString(p.command, -1) {
		if !settings[name] {
			out = append(out, "sets "+name+", which nothing reads")
		}
	}
	return out
}

// tests returns the names of the tests by folder.
func (t *tree) tests() map[string][]string {
	m := map[string][]string{}
	for _, f := range t.files {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				m[f.dir] = append(m[f.dir], fn.Name.Name)
			}
		}
	}
	return m
}

// settings returns the names of the project's environment variables that occur in Go files.
func (t *tree) settings() map[string]bool {
	m := map[string]bool{}
	for _, f := range t.files {
		for _, name := range settingNames.FindAllString(t.texts[f.path], -1) {
			m[name] = true
		}
	}
	return m
}

// unlisted finds mentions of proofs that are not in the list.
func (t *tree) unlisted(proofs []proof) (out []finding) {
	for _, name := range slices.Sorted(maps.Keys(t.texts)) {
		if name == "CHANGELOG.md" || strings.HasPrefix(name, "internal/archtest/") {
			continue // texts about the past, and examples
		}
		for i, line := range strings.Split(t.texts[name], "\n") {
			for _, m := range proofMentions.FindAllStringSubmatch(line, -1) {
				if !slices.ContainsFunc(proofs, func(p proof) bool { return p.name == m[1] }) {
					out = append(out, finding{"proofs", fmt.Sprintf("%s:%d", name, i+1), "mentions the long proof " +
						m[1] + ", which " + proofList + " does not list"})
				}
			}
		}
	}
	return out
}
