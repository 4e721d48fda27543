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

// A signer makes MACs with the key of the audit trail. It is not safe for concurrent use.
//
// It authenticates a sequence of fields. The first field is a label for the kind of content. Texts are
// preceded by their length, and numbers have eight bytes, so different sequences never have the same bytes.
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

// signers are the signers of a pepper and its older peppers, the newest first. Each chain is signed with one
// of them.
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
		_, err := newSigner(pepper) // returns the error for a missing pepper
		return nil, err
	}
	return all, nil
}

// of returns the first signer that matches, or the newest signer.
func (s signers) of(holds func(*signer) bool) *signer {
	if i := slices.IndexFunc(s, holds); i >= 0 {
		return s[i]
	}
	return s[0]
}

// first returns the MAC before the first entry of a chain.
func (s *signer) first(writer string) MAC {
	return s.begin("chain").text(writer).sum()
}

// entry returns the MAC of r after an entry with the MAC prev.
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

// head returns c signed as a head.
func (s *signer) head(c Checkpoint) Checkpoint { return s.checkpoint("head", c) }

func (s *signer) isHead(c Checkpoint) bool { return equal(s.head(c).Signature, c.Signature) }

// prunePoint returns c signed as a prune point.
func (s *signer) prunePoint(c Checkpoint) Checkpoint { return s.checkpoint("cut", c) }

func (s *signer) isPrunePoint(c Checkpoint) bool {
	return equal(s.prunePoint(c).Signature, c.Signature)
}

func (s *signer) checkpoint(label string, c Checkpoint) Checkpoint {
	c.Signature = s.begin(label).text(c.Writer).number(c.Seq).bytes(c.MAC).sum()
	return c
}

// check returns an error if no pepper verifies the head of a chain.
func (s signers) check(chains []Chain) error {
	for _, c := range chains {
		if !s.of(func(s *signer) bool { return s.isHead(c.Head) }).isHead(c.Head) {
			return fmt.Errorf("%w: the head of chain %s is not signed with this pepper", ErrTampered, c.Head.Writer)
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

// equal compares in constant time, so that attackers cannot find a MAC by measuring times.
func equal(a, b MAC) bool { return hmac.Equal(a[:], b[:]) }
