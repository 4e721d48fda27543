package sqlite

import (
	sqldriver "database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
)

// lastPattern is the regular expression that was matched last. A statement matches one against many rows.
var lastPattern atomic.Pointer[regexp.Regexp]

// matches reports whether a pattern matches anywhere in s.
func matches(s, pattern string) (sqldriver.Value, error) {
	re := lastPattern.Load()
	if re == nil || re.String() != pattern {
		var err error
		if re, err = regexp.Compile(strings.Clone(pattern)); err != nil {
			return nil, fmt.Errorf("sqlite: %w", err)
		}
		lastPattern.Store(re)
	}
	return truth(re.MatchString(s)), nil
}
