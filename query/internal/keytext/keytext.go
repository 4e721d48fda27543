// Package keytext writes keys of caches: texts that equal values share and no others.
//
//	b := keytext.Texts(nil, website, path)        // each behind its length, so that ("ab", "c") differs from ("a", "bc")
//	b = keytext.Numbers(b, from.Unix(), to.Unix()) // each followed by a blank
package keytext

import "strconv"

// Texts appends each of texts behind its length.
func Texts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
	}
	return b
}

// Numbers appends each of numbers, followed by a blank.
func Numbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, n, 10), ' ')
	}
	return b
}
