package openapi

import (
	_ "embed"
	"encoding/json"
)

// examples has real requests and answers of the demo, by method and path. The test that makes docs/api.md writes it.
//
//go:embed examples.json
var examples []byte

// Examples returns a request and an answer for each route that has some, by method and path. Paths of tracking begin
// with /ingest.
func Examples() map[string]Example {
	all := map[string]Example{}
	_ = json.Unmarshal(examples, &all) // a test checks the file
	return all
}
