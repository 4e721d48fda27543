package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A comparison counts the results of comparing two sides.
type comparison struct {
	asked    int
	refused  int            // questions that both sides rejected for the same reason
	answers  map[string]int // by type
	nonEmpty map[string]int // answers with data by type
	differ   []string       // a description of each difference
	failed   int            // differences where the store returned no answer
}

// compareReference asks questions of the engine and of the reference evaluator over data, and compares the JSON
// of their rows byte by byte. With untilOne it stops at the first difference.
func compareReference(ctx context.Context, got *engineRunner, data *reference.Data,
	questions iter.Seq[reference.Question], untilOne bool) (*comparison, error) {
	want := func(_ context.Context, q reference.Question) outcome {
		a, err := data.Compared(q)
		if err != nil {
			return outcome{refused: refusals(err), text: err.Error()}
		}
		return outcome{json: bytes.Join([][]byte{a.Rows, a.Previous, a.Changes, a.Totals}, []byte("\n")),
			speaks: says(a.Rows)}
	}
	same := func(a, b outcome) bool { return a.refused != "" && a.refused == b.refused }
	return compare(ctx, questions, want, got.outcome, same, untilOne)
}

// compareStores asks questions of the engine over two stores with the same rows, and compares the answers byte
// by byte. With untilOne it stops at the first difference.
func compareStores(ctx context.Context, want, got *engineRunner, questions iter.Seq[reference.Question],
	untilOne bool) (*comparison, error) {
	return compare(ctx, questions, want.outcome, got.outcome, sameRefusal, untilOne)
}

// sameRefusal reports whether two engines refused a question for the same reason. If both stores fail, that is a
// difference, too.
func sameRefusal(a, b outcome) bool {
	return a.refused == b.refused && a.text == b.text && slices.Contains(refusable, a.refused)
}

// An outcome is an answer, or the reason for its absence.
type outcome struct {
	json    []byte
	speaks  bool       // the answer has data, as defined by says
	refused query.Code // empty for an answer, and for a failure without a code
	text    string     // the text of the error
}

// compare sends each question to both sides concurrently.
func compare(ctx context.Context, questions iter.Seq[reference.Question], want,
	got func(context.Context, reference.Question) outcome,
	sameRefusal func(a, b outcome) bool, untilOne bool,
) (*comparison, error) {
	found := &comparison{answers: map[string]int{}, nonEmpty: map[string]int{}}
	for q := range questions {
		if untilOne && len(found.differ) > 0 {
			break
		}
		wanted := make(chan outcome, 1)
		go func() { wanted <- want(ctx, q) }()
		g := got(ctx, q)
		w := <-wanted
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found.asked++
		switch {
		case w.json == nil && g.json == nil && sameRefusal(w, g):
			found.refused++
		case w.json == nil || g.json == nil:
			if g.json == nil && !slices.Contains(refusable, g.refused) {
				found.failed++
			}
			found.note(q, w, g)
		default:
			found.answers[q.Type+q.Dataset]++
			if w.speaks {
				found.nonEmpty[q.Type+q.Dataset]++
			}
			if !bytes.Equal(w.json, g.json) {
				found.note(q, w, g)
			}
		}
	}
	return found, nil
}

// refusable lists the codes of errors that the reference evaluator also returns.
var refusable = []query.Code{query.TooManyRows, query.BadFilter, query.BadGroup, query.BadSort}

func refusals(err error) query.Code {
	for i, known := range []error{reference.ErrTooLong, reference.ErrFilter, reference.ErrGroupBy, reference.ErrSort} {
		if errors.Is(err, known) {
			return refusable[i]
		}
	}
	return ""
}

// says reports whether an answer has data: a row with a number other than 0, or a row without numbers.
func says(answer []byte) bool {
	var rows []map[string]any
	if json.Unmarshal(answer, &rows) != nil {
		return false
	}
	for _, row := range rows {
		numbers := 0
		for _, v := range row {
			if n, ok := v.(float64); ok {
				numbers++
				if n != 0 {
					return true
				}
			}
		}
		if numbers == 0 {
			return true
		}
	}
	return false
}

func (c *comparison) note(q reference.Question, want, got outcome) {
	c.differ = append(c.differ, fmt.Sprintf("%v\n%s", q, firstDifference(want.show(), got.show())))
}

func (o outcome) show() string {
	if o.json == nil {
		return fmt.Sprintf("refused %s: %s", o.refused, o.text)
	}
	return string(o.json)
}

// firstDifference returns the first row in which two answers differ.
func firstDifference(want, got string) string {
	return differingRow(strings.SplitAfter(want, "},"), strings.SplitAfter(got, "},"))
}

// differingRow returns the first row in which two lists differ, or an empty string.
func differingRow(want, got []string) string {
	for i := range max(len(want), len(got)) {
		w, g := "no such row", "no such row"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return fmt.Sprintf("row %d of %d and %d\nwant %s\ngot  %s", i+1, len(want), len(got), w, g)
		}
	}
	return ""
}
