// Package uuid makes UUIDs:
//
//	id := uuid.Random()     // 4f1c0b7e-…, version 4
//	id := uuid.At(now)      // version 7: ids of later milliseconds are greater
//	id := uuid.Nth(now, 3)  // version 7: of one millisecond, ids of greater numbers are greater
package uuid

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"
)

// Random returns a random UUID of version 4.
func Random() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return text(b, 4)
}

// At returns a UUID of version 7. UUIDs of the same millisecond have a random order.
func At(now time.Time) string { return text(timed(now), 7) }

// Nth returns the UUID of version 7 of the n-th thing of a millisecond, from 0. Things from 4095 on have a random
// order.
func Nth(now time.Time, n int) string {
	b := timed(now)
	binary.BigEndian.PutUint16(b[6:8], uint16(min(n, 0xfff)))
	return text(b, 7)
}

// timed returns a time and random bytes.
func timed(now time.Time) (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return b
}

// text sets the version and the variant in b, and returns its text.
func text(b [16]byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
