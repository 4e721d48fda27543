package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// A digester computes the same as Secret.Digest. It reuses keyed hashes, because creating one costs
// more than using it. It is safe for concurrent use.
type digester struct{ pool sync.Pool }

type keyedHash struct {
	hash.Hash
	in, out []byte
}

func newDigester(pepper Pepper) *digester {
	return &digester{sync.Pool{New: func() any { return &keyedHash{Hash: hmac.New(sha256.New, pepper.bytes())} }}}
}

func (d *digester) digest(s Secret) Digest {
	h, ok := d.pool.Get().(*keyedHash)
	if !ok {
		return Digest{} // cannot happen: the pool holds only keyed hashes; no key has this digest
	}
	h.Reset()
	h.in = append(h.in[:0], s.Reveal()...)
	_, _ = h.Write(h.in) // a hash never returns an error
	clear(h.in)          // the pool must not retain secrets
	h.out = h.Sum(h.out[:0])
	sum := Digest(h.out)
	d.pool.Put(h)
	return sum
}
