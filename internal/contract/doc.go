// Package contract has a test that sends generated requests to a service, and compares every answer with the OpenAPI
// document that the service publishes:
//
//	SIGHTLINE_QUESTIONS=5000 SIGHTLINE_SEED=7 go test -run '^TestContract$' ./internal/contract
//
// Requests are made of the schemas of the document: valid ones, and ones with a mistake. An answer must have a status,
// a content type and a body that the document has for its route. The test treats every object as closed: a field that
// the document lacks is a finding.
//
// TestNoninterference sends the same kind of requests, by keys of one owner, to two services that differ only in what
// belongs to another owner. The ids of that owner and unknown ids stand in half of the requests. All answers must be
// equal.
package contract
