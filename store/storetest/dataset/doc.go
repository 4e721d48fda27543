// Package dataset generates random rows with many edge cases, and random questions about them, from a seed:
//
//	w := dataset.New(7)                         // equal seeds give equal datasets
//	data := reference.NewData(w.Batch)
//	rng := rand.New(rand.NewPCG(1, 2))
//	question := w.Question(rng)
//	answer, err := data.Answer(question)
//	question = w.Asking(rng)                    // groups of filters, choices of metrics, goals, funnels, retention, paths
//
// The rows are as valid as real ones: identifiers, codes and paths are well formed, and pages have a path.
package dataset
