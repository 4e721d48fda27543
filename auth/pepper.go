package auth

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// MinPepper is the smallest number of bytes that is taken for a pepper.
const MinPepper = 16

// A Pepper is a server's own secret: what digests of secrets, and the keys of tokens and of
// the audit trail, are made with. It may remember older ones, under which nothing is made any
// more and everything is still recognised: so a pepper can be changed. It prints, logs and
// marshals as its length, wherever it lies. The zero Pepper is none.
type Pepper struct {
	// A pointer, because fmt prints unexported fields without asking their methods. The
	// newest comes first.
	texts *[]string
}

// NewPepper takes secret for a pepper, and older for those from before it, the newest first. Its
// error says that one has fewer than [MinPepper] bytes, and nothing of them.
func NewPepper(secret []byte, older ...[]byte) (Pepper, error) {
	texts := make([]string, 0, 1+len(older))
	for i, one := range append([][]byte{secret}, older...) {
		switch {
		case len(one) >= MinPepper:
			texts = append(texts, string(one))
		case i == 0:
			return Pepper{}, fmt.Errorf("auth: pepper has %d bytes, fewer than %d", len(one), MinPepper)
		default:
			return Pepper{}, fmt.Errorf("auth: older pepper %d has %d bytes, fewer than %d", i, len(one), MinPepper)
		}
	}
	return Pepper{&texts}, nil
}

// Each lists the pepper and the older ones, the newest first, each as one that remembers no
// other. Of none it is empty.
func (p Pepper) Each() []Pepper {
	if p.texts == nil {
		return nil
	}
	all := make([]Pepper, len(*p.texts))
	for i, text := range *p.texts {
		all[i] = Pepper{&[]string{text}}
	}
	return all
}

// IsZero reports whether p is none.
func (p Pepper) IsZero() bool { return p.texts == nil }

// Key derives a key of 32 bytes for a purpose from the newest pepper; no purpose's key tells of
// another's. Its error says that p is none.
func (p Pepper) Key(purpose string) ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, p.bytes(), nil, purpose, sha256.Size)
}

func (p Pepper) check() error {
	if p.IsZero() {
		return errors.New("auth: pepper is missing")
	}
	return nil
}

func (p Pepper) bytes() []byte {
	if p.texts == nil {
		return nil
	}
	return []byte((*p.texts)[0])
}

// String returns the redacted form.
func (p Pepper) String() string { return strconv.Itoa(len(p.bytes())) + " bytes" }

// GoString returns the redacted form.
func (p Pepper) GoString() string { return p.String() }

// Format writes the redacted form whatever the verb.
func (p Pepper) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// LogValue returns the redacted form.
func (p Pepper) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText returns the redacted form.
func (p Pepper) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
