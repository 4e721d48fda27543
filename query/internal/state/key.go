package state

import (
	"strconv"
	"strings"
)

// JoinKey encodes several values as one text; different values have different texts.
func JoinKey(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strconv.Itoa(len(v)))
		b.WriteByte(':')
		b.WriteString(v)
	}
	return b.String()
}

// SplitKey returns the n values that JoinKey encoded as key.
func SplitKey(key string, n int) []string {
	if n == 1 {
		return []string{key}
	}
	values := make([]string, 0, n)
	for key != "" {
		size, rest, _ := strings.Cut(key, ":")
		length := 0
		for _, digit := range size {
			length = 10*length + int(digit-'0')
		}
		values, key = append(values, rest[:length]), rest[length:]
	}
	return values
}
