package dataset

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Over a few seeds, chains of steps, cohorts and properties must have every trap.
func TestTrapsOfBuyers(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(6) {
		w := New(seed)
		byVisitor := map[string][]store.Event{}
		for _, e := range w.Batch.Events {
			properties := e.Properties
			for trap, pattern := range propertyTraps {
				if pattern.MatchString(properties) {
					found[trap]++
				}
			}
			byVisitor[e.Website+e.Visitor()] = append(byVisitor[e.Website+e.Visitor()], e)
		}
		for who, list := range byVisitor {
			slices.SortFunc(list, func(a, b store.Event) int { return a.Time.Compare(b.Time) })
			switch {
			case strings.Contains(who, "buyer-"):
				chainTraps(list, found)
			case strings.Contains(who, "member-"):
				cohortTraps(list, found)
			}
		}
	}
	var missing []string
	for trap := range propertyTraps {
		missing = append(missing, trap)
	}
	missing = append(missing, "chain of the window", "chain 1 ms too long", "chain 1 ms shorter",
		"step twice at one instant", "chain at one instant",
		"a later first step", "chain over two sessions", "sign-up on a day's first millisecond",
		"sign-up on a day's last millisecond", "return before the sign-up",
		"return on another day", "second sign-up")
	for _, trap := range missing {
		if found[trap] == 0 {
			t.Errorf("trap %q does not occur", trap)
		}
	}
}

var propertyTraps = map[string]*regexp.Regexp{
	"four decimals":   regexp.MustCompile(`"total":\d+\.\d{4}[,}]`),
	"decimal as text": regexp.MustCompile(`"total":"19\.99"`), "text with blanks": regexp.MustCompile(`"total":" 12`),
	"sign": regexp.MustCompile(`"total":"\+5"`), "exponent": regexp.MustCompile(`"total":1e3`),
	"exponent as text":       regexp.MustCompile(`"total":"1e3"`),
	"too many digits":        regexp.MustCompile(`"total":"1234567890"`),
	"largest":                regexp.MustCompile(`"total":999999999[,}]`),
	"just too large":         regexp.MustCompile(`"total":1000000000`),
	"half of the last place": regexp.MustCompile(`"total":-1\.00005`), "null": regexp.MustCompile(`"total":null`),
	"empty":   regexp.MustCompile(`"total":""`),
	"boolean": regexp.MustCompile(`"total":true`), "list": regexp.MustCompile(`"total":\[`),
	"nested": regexp.MustCompile(`"total":\{`), "huge": regexp.MustCompile(`"total":1e300`),
	"key in another case": regexp.MustCompile(`"Total"`),
}

// chainTraps marks the chains from a pageview of / to a sign-up.
func chainTraps(list []store.Event, found map[string]int) {
	for i, e := range list {
		if i > 0 && e.Time.Equal(list[i-1].Time) && e.Path == "/pricing" && list[i-1].Path == "/pricing" &&
			e.Kind == store.Pageview {
			found["step twice at one instant"]++
		}
		for _, first := range list {
			if e.Name != signup || first.Kind != store.Pageview || first.Path != "/" {
				continue
			}
			took := e.Time.Sub(first.Time)
			if took == 0 {
				found["chain at one instant"]++
			}
			if took > 0 && e.SessionID != first.SessionID {
				found["chain over two sessions"]++
			}
			for _, w := range windows {
				switch took {
				case w:
					found["chain of the window"]++
				case w + time.Millisecond:
					found["chain 1 ms too long"]++
				case w - time.Millisecond:
					found["chain 1 ms shorter"]++
				case w - (w / 3).Truncate(time.Millisecond):
					found["a later first step"]++
				}
			}
		}
	}
}

// cohortTraps marks sign-ups at the edges of days, and visits before and after them.
func cohortTraps(list []store.Event, found map[string]int) {
	signups := 0
	for _, e := range list {
		switch {
		case e.Name == signup:
			signups++
			if signups > 1 {
				found["second sign-up"]++
			}
			at := e.Time.UTC()
			if at.Truncate(time.Hour).Equal(at) {
				found["sign-up on a day's first millisecond"]++
			}
			if at.Add(time.Millisecond).Truncate(time.Hour).Equal(at.Add(time.Millisecond)) {
				found["sign-up on a day's last millisecond"]++
			}
		case signups == 0:
			found["return before the sign-up"]++
		default:
			found["return on another day"]++
		}
	}
}

// The new questions have every part that can be asked.
func TestAskingGoesThroughEverything(t *testing.T) {
	w := New(4)
	rng := rand.New(rand.NewPCG(4, 6))
	found := map[string]bool{}
	for range 3000 {
		q := w.Asking(rng)
		note(q.Filters, "filter ", found)
		note(q.Mandatory, "mandatory ", found)
		for _, m := range q.Metrics {
			found["metric "+m.Name] = true
		}
		for _, s := range q.Steps {
			note(s.Filters, "step ", found)
		}
		found["dataset "+q.Dataset], found["type "+q.Type], found["within "+q.Within] = true, true, true
		found["totals"] = found["totals"] || q.Totals
		found["window"] = found["window"] || q.Window != ""
		found["from"] = found["from"] || q.From != nil
		found["to"] = found["to"] || q.To != nil
		found["date"] = found["date"] || slices.Contains(q.Dimensions, "date")
		found["compared choice"] = found["compared choice"] || q.Metrics != nil && q.Compare != ""
		found["value"] = found["value"] ||
			slices.ContainsFunc(q.Goals, func(g reference.Goal) bool { return g.Value != "" })
	}
	want := strings.Fields("totals window from to date value filter_and filter_or filter_not filter_did mandatory_or mandatory_not mandatory_did step_or within_session within_visitor")
	for _, op := range slices.Concat(reference.TextOperators(), reference.PropertyOperators()) {
		want = append(want, "filter_"+op)
	}
	for _, m := range slices.Concat(reference.PropertyMetrics(), []string{"percentage"}) {
		want = append(want, "metric_"+m)
	}
	for _, d := range reference.Datasets() {
		want = append(want, "dataset_"+d.Name)
		for _, m := range d.Metrics {
			want = append(want, "metric_"+m)
		}
	}
	for _, kind := range reference.BehaviourTypes() {
		want = append(want, "type_"+kind.Name)
	}
	for _, one := range append(want, "compared_choice") {
		words := strings.Replace(one, "_", " ", 1)
		if !found[words] && !found[one] {
			t.Errorf("%q never occurs", words)
		}
	}
}

// note marks the operators and groups of filters.
func note(filters []reference.Filter, where string, found map[string]bool) {
	for _, f := range filters {
		found[where+f.Op] = true
		found[where+"and"] = found[where+"and"] || f.And != nil
		found[where+"or"] = found[where+"or"] || f.Or != nil
		found[where+"not"] = found[where+"not"] || f.Not != nil
		found[where+"did"] = found[where+"did"] || f.Did != nil
		note(f.And, where, found)
		note(f.Or, where, found)
		if f.Not != nil {
			note([]reference.Filter{*f.Not}, where, found)
		}
	}
}
