package sqlite

import (
	sqldriver "database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
)

// newMatcher returns a function that reports whether a regular expression matches anywhere in a text. It keeps the one
// that it compiled last, since a statement matches one against many rows.
func newMatcher() func(s, pattern string) (sqldriver.Value, error) {
	var last atomic.Pointer[regexp.Regexp]
	return func(s, pattern string) (sqldriver.Value, error) {
		re := last.Load()
		if re == nil || re.String() != pattern {
			var err error
			if re, err = regexp.Compile(strings.Clone(pattern)); err != nil {
				return nil, fmt.Errorf("sqlite: %w", err)
			}
			last.Store(re)
		}
		return truth(re.MatchString(s)), nil
	}
}
