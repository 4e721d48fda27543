// Package reference computes the answers of the built-in query types with plain loops over lists of rows:
//
//	data := reference.NewData(store.Batch{Events: events})
//	answer, err := data.Answer(reference.Question{
//		Type: "pages", Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"},
//		Zone: "UTC", StartDate: "2026-03-10", EndDate: "2026-03-10", Now: noon,
//	})
//
// A Question asks for a type, or for a choice of metrics of a dataset: see Types, BehaviourTypes and Datasets.
//
// Tests ask both the query engine and this package, and compare the answers. The package shares no code with
// the engine, except the lists of countries and referrers. It follows the definitions in docs/definitions.md,
// and prefers clarity to speed.
//
// Numbers are exact fractions until they are written, so halves are rounded correctly: 1.005 becomes 1.01.
package reference
