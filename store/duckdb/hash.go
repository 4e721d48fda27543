//go:build cgo

package duckdb

import (
	"crypto/sha256"
	sqldriver "database/sql/driver"
	"encoding/binary"
)

// hashOf returns the number that is stored for an id: the first 63 bits of a SHA-256 with the file's key.
// Because of the key, nobody can choose ids with the same number.
func hashOf(key, text string) int64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(key + text))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1) // 63 bits
}

// readHashKey reads the key for hashes from the file.
func readHashKey(c engine) (key string, err error) {
	err = c.each("SELECT key FROM hash_key", nil, func(v []sqldriver.Value) error { return scan(v, &key) })
	return key, err
}
