package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// A digester computes what Secret.Digest does, and keeps the keyed hashes: to make one
// costs more than to use it. It is safe for concurrent use.
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
		return Digest{} // the pool has nothing else, and this is no key's
	}
	h.Reset()
	h.in = append(h.in[:0], s.Reveal()...)
	_, _ = h.Write(h.in) // a hash never fails
	clear(h.in)          // no secret lives on in the pool
	h.out = h.Sum(h.out[:0])
	sum := Digest(h.out)
	d.pool.Put(h)
	return sum
}
