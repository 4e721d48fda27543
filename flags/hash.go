package flags

import "unicode/utf16"

// anonymous stands for an identifier that is missing.
const anonymous = "anonymous"

// A hash is that of the text that was added so far.
type hash int32

// add goes on with text, by UTF-16 code units, and wraps around.
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

// size is the absolute value, which for the least integer has no place in 32 bits.
func (h hash) size() int64 {
	if h < 0 {
		return -int64(h)
	}
	return int64(h)
}

// bucket is 0 to 99.
func (h hash) bucket() int { return int(h.size() % 100) }
