package auth

import (
	"bytes"
	"sync"
	"testing"
)

func TestADigesterMakesTheSameDigests(t *testing.T) {
	pepper, _ := NewPepper([]byte("a pepper of some length"))
	d := newDigester(pepper)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				s, err := NewSecret(nil, "")
				if err != nil {
					t.Error(err)
					return
				}
				if got := d.digest(s); got != s.Digest(pepper) {
					t.Errorf("%x of %v, want %x", got, s, s.Digest(pepper))
				}
			}
		})
	}
	all.Wait()
}

func TestADigesterForgetsSecrets(t *testing.T) {
	pepper, _ := NewPepper([]byte("a pepper of some length"))
	d := newDigester(pepper)
	h := &keyedHash{}
	if made, ok := d.pool.New().(*keyedHash); ok {
		h = made
	}
	d.pool.New = func() any { return h }
	s, err := NewSecret(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	d.digest(s)
	if kept := h.in[:cap(h.in)]; bytes.ContainsAny(kept, alphabet) || len(kept) < len(s.Reveal()) {
		t.Errorf("the digester still holds %q", kept)
	}
}
