package audit

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/sightline-analytics/sightline/auth"
)

// A sealer makes MACs under the key of audit trails. It is not safe for concurrent use.
//
// What is authenticated is a sequence of fields, the first of which says what it is
// about. Texts carry their length and numbers have eight bytes, so no two sequences of
// fields have the same bytes.
type sealer struct {
	mac      hash.Hash
	buf, out []byte
}

func newSealer(pepper []byte) (*sealer, error) {
	if len(pepper) < auth.MinPepper {
		return nil, fmt.Errorf("audit: pepper has %d bytes, fewer than %d", len(pepper), auth.MinPepper)
	}
	key, err := hkdf.Key(sha256.New, pepper, nil, "sightline audit trail 1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("audit: key: %w", err)
	}
	return &sealer{mac: hmac.New(sha256.New, key)}, nil
}

// first is what stands before the first entry of a chain.
func (s *sealer) first(writer string) MAC {
	return s.begin("chain").text(writer).sum()
}

// entry is the MAC of r after prev.
func (s *sealer) entry(r *Record, prev MAC) MAC {
	s.begin("entry").text(r.Writer).number(r.Seq).bytes(prev).number(r.Entry.Time.UnixMilli())
	for i, t := range texts(&r.Entry) {
		if i == statusAt {
			s.number(int64(r.Entry.Status))
		}
		s.text(*t)
	}
	return s.sum()
}

// head returns m with the seal of a head.
func (s *sealer) head(m Mark) Mark { return s.mark("head", m) }

// cut returns m with the seal of a cut.
func (s *sealer) cut(m Mark) Mark { return s.mark("cut", m) }

func (s *sealer) mark(label string, m Mark) Mark {
	m.Seal = s.begin(label).text(m.Writer).number(m.Seq).bytes(m.MAC).sum()
	return m
}

// roster returns r with its seal.
func (s *sealer) roster(r Roster) Roster {
	s.begin("roster").number(r.Generation).number(int64(len(r.Writers)))
	for _, w := range r.Writers {
		s.text(w)
	}
	r.Seal = s.sum()
	return r
}

// check reports what is wrong with the roster of st; nil also for a new log's.
func (s *sealer) check(st State) error {
	r := st.Roster
	if r.Generation == 0 && len(r.Writers) == 0 {
		if len(st.Chains) > 0 {
			return fmt.Errorf("%w: the roster is gone", ErrTampered)
		}
		return nil
	}
	if !equal(s.roster(r).Seal, r.Seal) {
		return fmt.Errorf("%w: the roster lacks the seal of this pepper", ErrTampered)
	}
	return nil
}

func (s *sealer) begin(label string) *sealer {
	s.buf = s.buf[:0]
	return s.text(label)
}

func (s *sealer) text(t string) *sealer {
	s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(len(t)))
	s.buf = append(s.buf, t...)
	return s
}

func (s *sealer) number(n int64) *sealer {
	s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(n))
	return s
}

func (s *sealer) bytes(m MAC) *sealer {
	s.buf = append(s.buf, m[:]...)
	return s
}

func (s *sealer) sum() MAC {
	s.mac.Reset()
	s.mac.Write(s.buf)
	s.out = s.mac.Sum(s.out[:0])
	return MAC(s.out)
}

// equal compares in constant time: who may try seals and measure learns nothing.
func equal(a, b MAC) bool { return hmac.Equal(a[:], b[:]) }
