package flags

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
)

// The versions of the hash that divides people.
const (
	FirstHash = 1 // the hash of the public product; flags are not independent
	MixedHash = 2 // the default for new flags; flags and purposes are independent
)

// mixedBuckets is the number of buckets of MixedHash: one for each 0.01 %.
const mixedBuckets = 10_000

// A purpose is one use of the hash. Different purposes divide people independently under MixedHash.
type purpose string

const (
	forRollout    purpose = "rollout"
	forVariant    purpose = "variant"
	forPercentage purpose = "percentage"
)

// A split divides people for one purpose of one flag or group.
type split struct {
	mixed bool
	start hash   // FirstHash: the hash of the text before the id
	seed  []byte // MixedHash: the bytes before the id
}

// newSplit returns the split of a purpose. key is the flag's key, or the id of a target group.
func newSplit(version int, why purpose, key string) split {
	if version == MixedHash {
		return split{mixed: true, seed: []byte(string(why) + "\x00" + key + "\x00")}
	}
	switch why {
	case forRollout:
		return split{start: hash(0).add(key).add(":")}
	case forVariant:
		return split{start: hash(0).add(key).add(":variant:")}
	}
	return split{start: hash(0).add("percentage:")}
}

// below reports whether id is in the first percent % of all people.
func (s *split) below(id string, percent float64) bool { return s.bucket(id) < s.limit(percent) }

// bucket returns the bucket of id, a whole number.
func (s *split) bucket(id string) float64 {
	if s.mixed {
		return float64(part(mix(s.seed, id), mixedBuckets))
	}
	return float64(s.start.add(id).bucket())
}

// limit returns the number of buckets in the first percent % of all people.
func (s *split) limit(percent float64) float64 {
	if s.mixed {
		return math.Round(percent * mixedBuckets / 100)
	}
	return percent
}

// equal returns the index of the part that contains id, if all people are divided into n equal parts.
func (s *split) equal(id string, n int) int {
	if s.mixed {
		return part(mix(s.seed, id), n)
	}
	return int(s.start.add(id).size() % int64(n))
}

// mix returns the first 8 bytes of SHA-256 over seed and id, the highest byte first.
func mix(seed []byte, id string) uint64 {
	var room [128]byte // most texts fit, which avoids an allocation
	sum := sha256.Sum256(append(append(room[:0], seed...), id...))
	return binary.BigEndian.Uint64(sum[:8])
}

// part returns the index of the part that contains h, if the 64-bit integers are divided into n equal parts.
func part(h uint64, n int) int {
	high, _ := bits.Mul64(h, uint64(n))
	return int(high)
}
