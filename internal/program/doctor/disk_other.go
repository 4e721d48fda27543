//go:build !linux && !darwin

package doctor

import "errors"

// freeSpace fails: it is not known how to read the free space of this system.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
