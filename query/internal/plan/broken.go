package plan

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/ask"
)

// Broken returns the failure of a parameter whose answer a store, or a type of the host, cannot give because it does
// not keep its contract. The caller sees that the query failed; the cause is for logs.
func Broken(format string, args ...any) *ask.Error {
	return &ask.Error{Code: ask.Internal, Message: "The query failed", Err: fmt.Errorf("query: "+format, args...)}
}
