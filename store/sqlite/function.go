package sqlite

import (
	"crypto/md5" //nolint:gosec // no secret
	sqldriver "database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	driver "modernc.org/sqlite"
)

// registered is the result of registering the functions that dialect.SQLite uses. The driver can only register
// functions for the whole process, and only before the first connection is opened: it reads its list of
// functions without a lock whenever it opens one. Therefore they are registered when the package is
// initialised. Connections of other packages get them, too, so all names begin with sightline_.
var registered = register()

// register registers all functions. With VolatileArgs, texts are not copied: they are valid during the call only. And
// they are not cut at NUL, which sort keys contain.
func register() error {
	var faults []error
	for name, f := range scalars {
		faults = append(faults, driver.RegisterFunction("sightline_"+name, &driver.FunctionImpl{
			NArgs: f.args, Deterministic: true, VolatileArgs: true,
			Scalar: func(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value,
				error) {
				return f.call(args)
			},
		}))
	}
	for name, f := range aggregates {
		faults = append(faults, driver.RegisterFunction("sightline_"+name, &driver.FunctionImpl{
			NArgs: f.args, Deterministic: true, VolatileArgs: true,
			MakeAggregate: func(driver.FunctionContext) (driver.AggregateFunction,
				error) {
				return &aggregate{of: f.begin()}, nil
			},
		}))
	}
	return errors.Join(faults...)
}

// A scalar is a function of the values of one row.
type scalar struct {
	args int32 // the number of arguments
	call func(args []sqldriver.Value) (sqldriver.Value, error)
}

// scalars lists the functions of one row. The comments of the operations in package dialect say what they
// return.
var scalars = map[string]scalar{
	"lower":        {1, ofText(func(s string) sqldriver.Value { return strings.ToLower(s) })},
	"host":         {1, ofText(func(s string) sqldriver.Value { return host(s) })},
	"text_to_json": {1, ofText(func(s string) sqldriver.Value { return string(appendQuoted(nil, s)) })},
	"members":      {1, ofText(func(s string) sqldriver.Value { return members(s) })},
	"md5_high":     {1, ofText(func(s string) sqldriver.Value { return int64(md5Number(s) >> 32) })},
	"md5_low":      {1, ofText(func(s string) sqldriver.Value { return int64(md5Number(s) & (1<<32 - 1)) })},
	"iso8601":      {1, iso8601},
	"json_text":    {2, jsonText},
	"json_value":   {2, jsonValue},
	"json_decimal": {2, jsonDecimal},
	"json_has":     {2, jsonHas},
	"ends_with": {2, ofTexts(func(s, end string) (sqldriver.Value, error) {
		return truth(strings.HasSuffix(s, end)),
			nil
	})},
	"matches":  {2, ofTexts(newMatcher())},
	"position": {2, position},
	"lookup":   {4, lookup},
	"zip":      {3, zip},
	"element":  {2, element},
}

// ofText returns the implementation of a function of one text. It returns null for null.
func ofText(call func(string) sqldriver.Value) func([]sqldriver.Value) (sqldriver.Value, error) {
	return func(args []sqldriver.Value) (sqldriver.Value, error) {
		if args[0] == nil {
			return nil, nil
		}
		s, err := textOf(args[0])
		if err != nil {
			return nil, err
		}
		return call(s), nil
	}
}

// ofTexts returns the implementation of a function of two texts. It returns null for null.
func ofTexts(call func(a, b string) (sqldriver.Value, error)) func([]sqldriver.Value) (sqldriver.Value, error) {
	return func(args []sqldriver.Value) (sqldriver.Value, error) {
		if args[0] == nil || args[1] == nil {
			return nil, nil
		}
		a, err := textOf(args[0])
		if err != nil {
			return nil, err
		}
		b, err := textOf(args[1])
		if err != nil {
			return nil, err
		}
		return call(a, b)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// textOf returns an argument that must be a text.
func textOf(v sqldriver.Value) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("an argument has type %T, want text", v)
	}
	return s, nil
}

// intOf returns an argument that must be a whole number.
func intOf(v sqldriver.Value) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("an argument has type %T, want a whole number", v)
	}
	return n, nil
}

// address matches an address in lower case. Its group is the host.
var address = regexp.MustCompile(`^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(?:www[.])?([^/?#:\[\]]*[^/?#:\[\].]|\[[^/?#]*\])`)

func host(s string) string {
	if found := address.FindStringSubmatch(strings.ToLower(s)); found != nil {
		return found[1]
	}
	return ""
}

func md5Number(s string) uint64 {
	sum := md5.Sum([]byte(s)) //nolint:gosec // no secret
	return binary.LittleEndian.Uint64(sum[8:])
}

func iso8601(args []sqldriver.Value) (sqldriver.Value, error) {
	millis, err := intOf(args[0])
	return time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z"), err
}
