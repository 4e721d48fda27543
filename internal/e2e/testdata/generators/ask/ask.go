// Package ask has what both clients share: the service, and the checks of its answers.
package ask

import (
	"encoding/json"
	"fmt"
	"os"
)

// Service is the running service, from the line that `sightline serve --json` prints.
type Service struct{ Address, Key, WebsiteID string }

// Parameters are three questions: by name, with a filter, and of goals. They have the long forms, which alone are in the
// plain form of the document.
const Parameters = `[{"name":"summary"},
	{"name":"pages","limit":3,"filters":[{"field":"device_type","op":"in","value":["mobile","desktop"]}]},
	{"name":"goals","goals":[{"name":"Pricing","page":{"op":"eq","value":"/pricing"}}]}]`

// Run calls with for the service in the arguments, and ends the program with an error if it returns one.
func Run(with func(Service) error) {
	var s Service
	err := json.Unmarshal([]byte(os.Args[1]), &s)
	if err == nil {
		err = with(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
