package flags

import "unicode/utf16"

// anonymous replaces a missing identifier.
const anonymous = "anonymous"

// A hash is the hash of the text that was added so far.
type hash int32

// add adds the UTF-16 code units of text to the hash, which wraps around.
func (h hash) add(text string) hash {
	for _, r := range text {
		if r >= 0x10000 {
			high, low := utf16.EncodeRune(r)
			h, r = h*31+hash(high), low
		}
		h = h*31 + hash(r)
	}
	return h
}

// size returns the absolute value. For the least integer it does not fit into 32 bits.
func (h hash) size() int64 {
	if h < 0 {
		return -int64(h)
	}
	return int64(h)
}

// bucket returns the bucket, from 0 to 99.
func (h hash) bucket() int { return int(h.size() % 100) }
