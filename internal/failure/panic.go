package failure

import (
	"fmt"
	"runtime/debug"
)

// Recovered turns a panic into an error with its stack. Call it with defer, where a fault of a host's code must fail
// one request or one step of the background, and must not end the process. Without a panic it leaves err alone.
func Recovered(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
	}
}

// Try calls do, and returns its error, or its panic as an error: see [Recovered].
func Try(do func() error) (err error) {
	defer Recovered(&err)
	return do()
}
