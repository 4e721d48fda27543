package contract

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/contract/generate"
)

// The defaults of the variables SIGHTLINE_QUESTIONS and SIGHTLINE_SEED.
const (
	questions = 300
	seed      = 1
)

// mostTries is the number of valid requests of which one must be answered with 200.
const mostTries = 20

// setting returns the number in an environment variable, or its default.
func setting(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// exchanges sends n requests, in turn to each operation, and to queries as often as to all others together.
func exchanges(t *testing.T, w *world, n int) []exchange {
	t.Helper()
	g := w.generator(uint64(setting(t, "SIGHTLINE_SEED", seed)), 0)
	var queries, others []generate.Operation
	for _, op := range generate.Operations(w.doc) {
		if op.Path == "/v1/query" {
			queries = append(queries, op)
		} else {
			others = append(others, op)
		}
	}
	all := make([]exchange, 0, n)
	send := func(r request) exchange {
		x := exchanged(r, w.send(r))
		g.Learn(r, x.status, x.answer)
		all = append(all, x)
		return x
	}
	for _, op := range slices.Concat(queries, others) { // each succeeds at least once
		for range mostTries {
			if send(g.Good(op)).status == http.StatusOK {
				break
			}
		}
	}
	for i := range n {
		op := others[i/2%len(others)]
		if i%2 == 0 {
			op = queries[g.IntN(len(queries))]
		}
		send(g.Request(op))
	}
	return all
}

// TestContract compares the answers to generated requests with the document. Then it plants mistakes in the document,
// each of which must be found in the same answers.
func TestContract(t *testing.T) {
	w := newWorld(t)
	check, err := newChecker(w.doc)
	if err != nil {
		t.Fatal(err)
	}
	all := exchanges(t, w, setting(t, "SIGHTLINE_QUESTIONS", questions))
	failed, answered := 0, map[string]int{}
	for _, x := range all {
		if err := check.check(x); err != nil {
			if failed++; failed <= 5 {
				t.Errorf("%s: %v", x, err)
			}
		}
		if x.status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d: %s", x, x.status, x.answer)
		}
		if why := x.unexplained(); why != "" {
			t.Errorf("%s: the request follows the document, and failed with status %d: %s", x, x.status, why)
		}
		if x.status == http.StatusOK {
			answered[x.Method+" "+x.Path]++
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d answers are not in the document", failed, len(all))
	}
	for _, op := range generate.Operations(w.doc) {
		if name := op.Method + " " + op.Path; answered[name] == 0 && op.Path != "/ingest/tracker/{file}" {
			t.Errorf("no request to %s was answered with 200", name)
		}
	}
	for _, part := range []string{`"saved":true`, `"saved":"` + funnelName, `{"segment":"` + segmentName} {
		if !slices.ContainsFunc(all,
			func(x exchange) bool { return x.status == http.StatusOK && strings.Contains(x.Body, part) }) {
			t.Errorf("no request with %s was answered with 200", part)
		}
	}
	t.Log(describe(all))
	if failed == 0 {
		plant(t, w.doc, all)
	}
}

// failedParameter is in the JSON of an answer with a parameter that failed.
const failedParameter = `"success":false,"data":`

// rules are parts of errors in valid requests: rules that no schema says, between fields or about names of countries.
var rules = []string{
	"percentage is a share of", "is not a country", "all_time cannot be compared", "hourly is for ranges of at most",
	"complete is only for the presets", "why compares two periods", "is not for why", "is for goals only",
	"minute is for ranges of at most", "hourly is not for", "minute is not for", "allowed are website, reason, bot_name",
}

// failures matches the errors of queries and of parameters.
var failures = regexp.MustCompile(`"success":false,(?:"data":\[\],)?"error":"((?:[^"\\]|\\.)*)"`)

// unexplained returns an error in the answer to a valid query that is not one of rules, or an empty text.
func (x exchange) unexplained() string {
	if !x.Valid || x.Path != "/v1/query" || x.status != http.StatusOK && x.status != http.StatusBadRequest {
		return ""
	}
	for _, found := range failures.FindAllStringSubmatch(x.answer, -1) {
		if !slices.ContainsFunc(rules, func(rule string) bool { return strings.Contains(found[1], rule) }) {
			return found[1]
		}
	}
	return ""
}

// describe says how many requests were answered with which status, and how many parameters succeeded.
func describe(all []exchange) string {
	statuses, good, bad := map[int]int{}, 0, 0
	invalid := map[string]int{}
	for _, x := range all {
		statuses[x.status]++
		if x.Valid && x.status == http.StatusBadRequest {
			invalid[x.Method+" "+x.Path]++
		}
		good += strings.Count(x.answer, `"success":true,"data":`)
		bad += strings.Count(x.answer, failedParameter)
	}
	return fmt.Sprintf("statuses %v; %d parameters succeeded, %d failed; valid requests with 400: %v", statuses, good,
		bad, invalid)
}

// A plantedMistake changes a document so that it contradicts some answers.
type plantedMistake struct {
	name  string
	plant func(doc document) bool // reports whether it changed doc
}

// plant checks that each planted mistake is found.
func plant(t *testing.T, doc document, all []exchange) {
	t.Helper()
	for _, m := range []plantedMistake{
		{"a column is missing", dropProperty("SummaryMetricsRow", "visitors")},
		{"a column has another type", func(doc document) bool {
			return set(doc, "string", "components", "schemas", "SummaryMetricsRow", "properties", "visitors", "type")
		}},
		{"a field of the meta is missing", dropProperty("ResultMeta", "timezone")},
		{"a code is missing", func(doc document) bool {
			return set(doc, []any{"NONE"}, "components", "schemas", "Error400", "properties", "code", "enum")
		}},
		{"a status is missing", func(doc document) bool {
			return drop(doc, "paths", "/v1/query", "post", "responses",
				"401")
		}},
		{"a form is missing", func(doc document) bool {
			return drop(doc, "paths", "/v1/query", "get", "responses", "200", "content", "text/csv")
		}},
		{"a member of a saved definition is missing", dropProperty("SegmentBody", "filters")},
		{"a field of an item's result is missing", dropProperty("TrackResult", "eventId")},
	} {
		copied := clone(doc)
		if !m.plant(copied) {
			t.Errorf("%s: the mistake changes nothing", m.name)
			continue
		}
		check, err := newChecker(copied)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(x exchange) bool { return check.check(x) != nil }) {
			t.Errorf("%s: no answer contradicts the document", m.name)
		}
	}
}

func clone(v document) document {
	copied := maps.Clone(v)
	for name, child := range copied {
		if o, ok := child.(object); ok {
			copied[name] = clone(o)
		}
	}
	return copied
}

func drop(doc document, path ...string) bool {
	last := len(path) - 1
	o, _ := generate.At(doc, path[:last]...).(object)
	_, ok := o[path[last]]
	delete(o, path[last])
	return ok
}

func set(doc document, value any, path ...string) bool {
	ok := drop(doc, path...)
	o, _ := generate.At(doc, path[:len(path)-1]...).(object)
	if ok {
		o[path[len(path)-1]] = value
	}
	return ok
}

func dropProperty(schema, name string) func(document) bool {
	return func(doc document) bool {
		required, _ := generate.At(doc, "components", "schemas", schema, "required").([]any)
		s, _ := generate.At(doc, "components", "schemas", schema).(object)
		if s != nil {
			s["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		}
		return drop(doc, "components", "schemas", schema, "properties", name)
	}
}
