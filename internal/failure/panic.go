package failure

import (
	"fmt"
	"runtime/debug"
)

// Recovered turns a panic into an error with its stack. Call it with defer, where a fault of a host's code must fail
// one request or one step of the background, and must not end the process. Without a panic it leaves err alone. The
// error is Internal, and wraps the value of the panic if that is an error, such as [net/http.ErrAbortHandler].
func Recovered(err *error) {
	if fault := recover(); fault != nil {
		value, _ := fault.(error)
		*err = &panicked{fmt.Sprintf("panic: %v\n%s", fault, debug.Stack()), value}
	}
}

// Try calls do, and returns its error, or its panic as an error: see [Recovered].
func Try(do func() error) (err error) {
	defer Recovered(&err)
	return do()
}

type panicked struct {
	text  string
	value error // nil if the panic had no error
}

// Error returns the value and the stack, for the log.
func (p *panicked) Error() string { return p.text }

// Unwrap returns the value of the panic, if it is an error.
func (p *panicked) Unwrap() error { return p.value }

// Failure implements [Error]. A panic is a fault, whatever its value says.
func (p *panicked) Failure() (Kind, string) { return Internal, "" }
