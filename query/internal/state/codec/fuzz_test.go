package codec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
)

// FuzzState loads states and dictionaries with any content and right checksums, and merges the partials that it gets.
func FuzzState(f *testing.F) {
	day := []calendar.Interval{{From: 0, To: 4 * statetest.Cell}}
	for seed := range uint64(4) {
		rng, keyed, numbers := rand.New(rand.NewPCG(seed, 9)), seed%2 == 0, newMemory()
		made, err := statetest.Batch(rng, statetest.Observations(rng, 60), keyed, day).Build(numbers.Numbering)
		if err != nil {
			f.Fatal(err)
		}
		set := &StateSet{KeyNames: "key", Keyed: keyed, Aggregates: statetest.Aggregates()}
		of := make([]*state.Partial, len(made))
		for i := range made {
			of[i] = made[i][0]
		}
		e := Encode(numbers, day[0], []*StateSet{set}, [][]*state.Partial{of})
		f.Add(unpack(stateFormat, e.States[0]).b, unpack(dictionaryFormat, e.Dictionaries["m"]).b, keyed)
	}
	z := newCompressor()
	f.Fuzz(func(t *testing.T, content, dictionary []byte, keyed bool) {
		content = slices.Clone(content)
		if len(content) >= 9 && len(dictionary) >= 8 {
			copy(content[1:9], dictionary[:8]) // the state then names this dictionary
		}
		p := &process{Cut: &statetest.Cut{Counters: &state.Counters{}, Keyed: keyed, Width: 1,
			Stretches: slices.Clone(day)}, memory: newMemory()}
		p.Numbers = p.memory.Numbering
		p.partials = make([][]*state.Partial, len(statetest.Aggregates()))
		for i := range p.partials {
			p.partials[i] = make([]*state.Partial, 1)
		}
		set := &StateSet{KeyNames: "key", Keyed: keyed, Aggregates: statetest.Aggregates()}
		stored := map[string][]byte{"m": (&writer{dictionary}).pack(z, dictionaryFormat)}
		if !p.load(set, 0, (&writer{content}).pack(z, stateFormat), readable(stored)) {
			return
		}
		rng, later := rand.New(rand.NewPCG(1, 8)),
			[]calendar.Interval{{From: 4 * statetest.Cell, To: 8 * statetest.Cell}}
		for i, made := range p.compute(t, rng, statetest.Observations(rng, 20), later) {
			p.partials[i] = append(p.partials[i], made...)
		}
		p.Stretches = append(p.Stretches, later...)
		p.Numbers.Publish(statetest.Aggregates(), "key")
		var sources [][]state.Source
		for _, of := range p.partials {
			sources = append(sources, p.Sources(of))
		}
		p.Answers(sources)
	})
}
