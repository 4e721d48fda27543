//go:build cgo

package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// A result has all figures of one run, or of several runs of the same program on the same rows.
type result struct {
	Commit, Note, Date string
	Machine            string
	Versions           string
	Traffic            traffic
	Load               load
	Memory             map[string]int64 // peak memory of the process by stage, in bytes
	Figures            []*figure
}

// These are the stages.
const (
	cold     = "cold"     // the first query after the store was opened
	warm     = "warm"     // one client; the ways take turns
	unmerged = "unmerged" // the engine without states and remembered answers, as for a new question
	clients  = "clients"  // all clients at once
	loaded   = "loaded"   // the first query after the rows were written; no day is sealed
	ingest   = "ingest"   // writes by 8 senders, and by one

	clickHouse = "clickhouse" // one client on ClickHouse
)

// A cell identifies a figure.
type cell struct {
	Stage, Website string
	Days           int
	Question, Way  string
}

func (c cell) String() string {
	return fmt.Sprintf("%s/%s/%dd/%s/%s", c.Stage, c.Website, c.Days, c.Question, c.Way)
}

// A figure has the times of answers.
type figure struct {
	cell
	Micros []int64
	Failed int    `json:",omitempty"` // number of failed answers, which are not in Micros
	Fault  string `json:",omitempty"` // error of a failed answer
}

// add adds an answer.
func (r *result) add(c cell, took time.Duration, err error) {
	f := r.figure(c)
	if f == nil {
		f = &figure{cell: c}
		r.Figures = append(r.Figures, f)
	}
	if err != nil {
		f.Failed, f.Fault = f.Failed+1, err.Error()
		return
	}
	f.Micros = append(f.Micros, took.Microseconds())
}

// figure returns the figure of c, or nil.
func (r *result) figure(c cell) *figure {
	i := slices.IndexFunc(r.Figures, func(f *figure) bool { return f.cell == c })
	if i < 0 {
		return nil
	}
	return r.Figures[i]
}

// quantile returns the p-quantile of the times in ms, or NaN without answers.
func (f *figure) quantile(p float64) float64 {
	if f == nil || len(f.Micros) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(f.Micros))
	return float64(sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]) / 1000
}

// read reads a result from a file, or returns the zero result if the file does not exist.
func read(file string) (*result, error) {
	r := &result{Memory: map[string]int64{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(text, r)
}

func (r *result) write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// compare lists the speedup of after over before for each figure, and the geometric means by stage and way. A speedup
// of SQL by hand comes from the machine or the store.
func compare(before, after *result) string {
	var b strings.Builder
	logs, order := map[string][]float64{}, []string{}
	fmt.Fprintln(&b, "before ms\tafter ms\tratio\tof")
	for _, f := range after.Figures {
		was, is := before.figure(f.cell).quantile(0.5), f.quantile(0.5)
		if ratio := was / is; !math.IsNaN(ratio) {
			fmt.Fprintf(&b, "%.2f\t%.2f\t%.2f\t%s\n", was, is, ratio, f.cell)
			group := fmt.Sprintf("%s/%s/%dd/%s", f.Stage, f.Website, f.Days, f.Way)
			if logs[group] == nil {
				order = append(order, group)
			}
			logs[group] = append(logs[group], math.Log(ratio))
		}
	}
	for _, group := range order {
		sum := 0.0
		for _, l := range logs[group] {
			sum += l
		}
		fmt.Fprintf(&b, "\t\t%.2f\tmean of %d: %s\n", math.Exp(sum/float64(len(logs[group]))), len(logs[group]), group)
	}
	perEvent := func(r *result) float64 { return float64(r.Load.Bytes) / float64(cmp.Or(r.Load.Events, 1)) }
	fmt.Fprintf(&b, "%.1f\t%.1f\t%.2f\tbytes per event on disk\n", perEvent(before), perEvent(after),
		perEvent(before)/perEvent(after))
	return b.String()
}
