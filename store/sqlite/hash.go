package sqlite

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/sightline-analytics/sightline/store/schema"
)

// hashOf returns the number that is stored for an id: 63 bits of a SHA-256 with the file's key. Because of the
// key, nobody can choose ids with the same number.
func hashOf(key []byte, text string) int64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256(append(append(make([]byte, 0, 128), key...), text...))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1) // 63 bits
}

// A receipt is a hash of 96 bits of a schema.Identity.
type receipt struct{ hi, lo int64 }

// receiptOf returns the hash of an identity.
func receiptOf(of schema.Identity) receipt {
	text := append(make([]byte, 0, 128), byte(of.Table), of.Kind, 0)
	if of.Keyed {
		text[2] = 1
	}
	text = binary.AppendUvarint(text, uint64(len(of.Subject)))
	text = append(append(text, of.Subject...), of.ID...)
	sum := sha256.Sum256(text)
	return receipt{int64(binary.BigEndian.Uint64(sum[:8])), int64(binary.BigEndian.Uint32(sum[8:12]))}
}
