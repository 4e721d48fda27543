//go:build cgo

package duckdb

import (
	"crypto/sha256"
	sqldriver "database/sql/driver"
	"encoding/binary"
)

// hashOf is the number that stands for text: the first 63 bits of a SHA-256 under the key of
// the file, so that nobody can choose ids that share a number.
func hashOf(key, text string) int64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(key + text))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1) // 63 bits
}

// readHashKey reads the key of the file.
func readHashKey(c engine) (key string, err error) {
	err = c.each("SELECT key FROM hash_key", nil, func(v []sqldriver.Value) error { return scan(v, &key) })
	return key, err
}
