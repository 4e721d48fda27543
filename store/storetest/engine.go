package storetest

import (
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// ProveEngine tests that the engine gives right answers from the store of h, in ways that do not depend on the store:
// questions that similar services answer wrongly, definitions of a host, properties of all answers, keys with mandatory
// filters, stored answers, removed days, and the rows that an answer depends on. A store needs it once, after Prove;
// each day it runs on one store of the project.
//
// The environment changes it: SIGHTLINE_SEED is the seed of the datasets, SIGHTLINE_QUESTIONS the number of random
// questions, SIGHTLINE_KEY_SETS the number of sets of mandatory filters. [Harness.SampleEvery] samples the types; for
// keys and for removed days, twice as many are asked.
func ProveEngine(t *testing.T, h Harness) {
	seed := uint64(Number(t, "SIGHTLINE_SEED", 20261128))
	more := h
	more.SampleEvery = (h.SampleEvery + 1) / 2 // these tests fail if too few answers show what they look for
	for _, part := range []struct {
		name  string
		prove func(t *testing.T)
	}{
		{"Pitfalls", func(t *testing.T) { Pitfalls(t, h) }},
		{"AllTime", func(t *testing.T) { AllTime(t, h) }},
		{"Identity", func(t *testing.T) { Identity(t, h) }},
		{"Definitions", func(t *testing.T) { Definitions(t, h) }},
		{"Properties", func(t *testing.T) { Properties(t, h, seed) }},
		{"Keys", func(t *testing.T) { Keys(t, more, seed, Number(t, "SIGHTLINE_KEY_SETS", 3)) }},
		{"KeysAsking", func(t *testing.T) { KeysAsking(t, h, RandomRunOf(t, 10, int(seed))) }},
		{"Answers", func(t *testing.T) { Answers(t, h, seed) }},
		{"Expired", func(t *testing.T) { Expired(t, more, seed) }},
		{"Dependencies", func(t *testing.T) { Dependencies(t, h, RandomRunOf(t, 1, int(seed))) }},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.prove(t)
		})
	}
}

// KillsAllMutants plants mistakes between the store of h and the tests: all of [Mutations], [AnswerMutations], own,
// [SQLMutations] and [AskingMutations], those in sealed results, and one for each property. It fails unless each is
// noticed. By default it plants one of each kind: see [OnePerKind]. own are mistakes that only one dialect can have.
func KillsAllMutants(t *testing.T, h Harness, d *dialect.Dialect, own ...Mutation) {
	t.Run("Reference", func(t *testing.T) {
		t.Parallel()
		KillsMutants(t, h, OnePerKind(slices.Concat(Mutations(), AnswerMutations(), own, SQLMutations(d),
			AskingMutations(d))))
	})
	t.Run("Seals", func(t *testing.T) {
		t.Parallel()
		KillsSealMutants(t, h)
	})
	t.Run("Properties", func(t *testing.T) {
		t.Parallel()
		PropertiesKillMutants(t, h, 20260310)
	})
}
