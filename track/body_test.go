package track

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBodiesBecomeElements checks the wire format alone: which bodies have which items, and what a body costs.
func TestBodiesBecomeElements(t *testing.T) {
	one := wireFormat{items: 1, notJSON: codeInvalidJSON}
	either := wireFormat{items: 20, notJSON: codeTrackBody}
	list := wireFormat{items: 20, list: true, notJSON: codeNotArray}
	for _, c := range []struct {
		format wireFormat
		body   string
		want   string // an item per word, ! for one that is not an object, or the code of the error
		cost   int
	}{
		{one, `{"n":"a"}`, "a", 1},
		{one, `[{"n":"a"}]`, "INVALID_EVENT_SCHEMA", 1},
		{one, `7`, "INVALID_EVENT_SCHEMA", 1},
		{one, `{`, "INVALID_JSON", 1},
		{either, `{"n":"a"}`, "a", 1},
		{either, "\uFEFF" + `[{"n":"a"},5,{"n":"b"}]`, "a ! b", 1},
		{either, `[` + strings.Repeat(`{"n":"a"},`, 10) + `{"n":"b"}]`, strings.Repeat("a ", 10) + "b", 2},
		{either, `[` + strings.Repeat(`0,`, 20) + `0]`, "INGEST_BATCH_TOO_LARGE", 0},
		{either, `[]`, "EMPTY_LIST", 1},
		{either, `"a"`, "TRACK_INVALID_BODY", 1},
		{either, `{`, "TRACK_INVALID_BODY", 1},
		{list, `[{"n":"a"}]`, "a", 1},
		{list, `{"n":"a"}`, "INGEST_BATCH_NOT_ARRAY", 1},
		{list, `[`, "INVALID_JSON", 1},
		{list, `[{"n":"` + strings.Repeat("x", bytesPerCost) + `"}]`, strings.Repeat("x", bytesPerCost), 2},
	} {
		b, err := c.format.decode([]byte(c.body))
		var all []element
		if err == nil {
			all, err = b.elements()
		}
		var words []string
		for _, e := range all {
			if e.err != nil {
				words = append(words, "!")
				continue
			}
			words = append(words, fmt.Sprint(e.fields["n"]))
		}
		got := strings.Join(words, " ")
		if p, ok := errors.AsType[*problem](err); ok {
			got = p.Code
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%.60s: %s", c.body, d)
		}
		if c.cost > 0 && b.cost() != c.cost {
			t.Errorf("%.60s costs %d, want %d", c.body, b.cost(), c.cost)
		}
	}
}
