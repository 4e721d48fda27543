package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
)

// A signer makes MACs under the key of audit trails. It is not safe for concurrent use.
//
// What is authenticated is a sequence of fields, the first of which says what it is
// about. Texts carry their length and numbers have eight bytes, so no two sequences of
// fields have the same bytes.
type signer struct {
	mac      hash.Hash
	buf, out []byte
}

func newSigner(pepper auth.Pepper) (*signer, error) {
	key, err := pepper.Key("sightline audit trail 1")
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return &signer{mac: hmac.New(sha256.New, key)}, nil
}

// signers are those of a pepper and of the older ones that it remembers, the newest first. A
// chain is under one of them.
type signers []*signer

func newSigners(pepper auth.Pepper) (signers, error) {
	var all signers
	for _, one := range pepper.Each() {
		s, err := newSigner(one)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		_, err := newSigner(pepper) // it says that there is none
		return nil, err
	}
	return all, nil
}

// of finds the signer that holds about a chain; the newest when none does.
func (s signers) of(holds func(*signer) bool) *signer {
	if i := slices.IndexFunc(s, holds); i >= 0 {
		return s[i]
	}
	return s[0]
}

// first is what stands before the first entry of a chain.
func (s *signer) first(writer string) MAC {
	return s.begin("chain").text(writer).sum()
}

// entry is the MAC of r after prev.
func (s *signer) entry(r *Record, prev MAC) MAC {
	s.begin("entry").text(r.Writer).number(r.Seq).bytes(prev).number(r.Entry.Time.UnixMilli())
	all := texts(&r.Entry)
	for i, t := range all[:laterAt] {
		if i == statusAt {
			s.number(int64(r.Entry.Status))
		}
		s.text(*t)
	}
	if e := &r.Entry; e.Token != "" || e.Subject != "" || e.Count != 0 {
		for _, t := range all[laterAt:] {
			s.text(*t)
		}
		s.number(int64(e.Count))
	}
	return s.sum()
}

// head returns c with the signature of a head.
func (s *signer) head(c Checkpoint) Checkpoint { return s.checkpoint("head", c) }

func (s *signer) isHead(c Checkpoint) bool { return equal(s.head(c).Signature, c.Signature) }

// prunePoint returns c with the signature of a prune point.
func (s *signer) prunePoint(c Checkpoint) Checkpoint { return s.checkpoint("cut", c) }

func (s *signer) isPrunePoint(c Checkpoint) bool {
	return equal(s.prunePoint(c).Signature, c.Signature)
}

func (s *signer) checkpoint(label string, c Checkpoint) Checkpoint {
	c.Signature = s.begin(label).text(c.Writer).number(c.Seq).bytes(c.MAC).sum()
	return c
}

// check reports chains whose head was signed under none of the peppers.
func (s signers) check(chains []Chain) error {
	for _, c := range chains {
		if !c.Unsigned && !s.of(func(s *signer) bool { return s.isHead(c.Head) }).isHead(c.Head) {
			return fmt.Errorf("%w: the head of chain %s lacks the signature of this pepper", ErrTampered, c.Head.Writer)
		}
	}
	return nil
}

func (s *signer) begin(label string) *signer {
	s.buf = s.buf[:0]
	return s.text(label)
}

func (s *signer) text(t string) *signer {
	s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(len(t)))
	s.buf = append(s.buf, t...)
	return s
}

func (s *signer) number(n int64) *signer {
	s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(n))
	return s
}

func (s *signer) bytes(m MAC) *signer {
	s.buf = append(s.buf, m[:]...)
	return s
}

func (s *signer) sum() MAC {
	s.mac.Reset()
	s.mac.Write(s.buf)
	s.out = s.mac.Sum(s.out[:0])
	return MAC(s.out)
}

// equal compares in constant time: who may try signatures and measure learns nothing.
func equal(a, b MAC) bool { return hmac.Equal(a[:], b[:]) }
