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

// MinPepper is the minimum length of a pepper in bytes.
const MinPepper = 16

// A Pepper is the secret of a server. Digests of secrets and the keys of tokens and of the audit trail are
// derived from it. It may include older peppers, which only recognise what was made with them, so that
// a pepper can be replaced. It prints, logs and marshals as its length alone. The zero Pepper is empty.
type Pepper struct {
	// Pointers hide the bytes from fmt, which prints unexported fields without calling their methods.
	text  *string
	older *Pepper // the next older pepper; nil means the last
}

// NewPepper returns a pepper of secret and the older ones, the newest first. It fails if one has fewer
// than [MinPepper] bytes; the error shows none of them.
func NewPepper(secret []byte, older ...[]byte) (Pepper, error) {
	if len(secret) < MinPepper {
		return Pepper{}, fmt.Errorf("auth: pepper has %d bytes, fewer than %d", len(secret), MinPepper)
	}
	text := string(secret)
	p := Pepper{text: &text}
	if len(older) > 0 {
		rest, err := NewPepper(older[0], older[1:]...)
		if err != nil {
			return Pepper{}, fmt.Errorf("%w (an older pepper)", err)
		}
		p.older = &rest
	}
	return p, nil
}

// Each returns the pepper and the older ones as separate Peppers, the newest first. The result is empty for
// the zero Pepper.
func (p Pepper) Each() (all []Pepper) {
	for at := &p; at != nil && at.text != nil; at = at.older {
		all = append(all, Pepper{text: at.text})
	}
	return all
}

// IsZero reports whether p is the zero Pepper.
func (p Pepper) IsZero() bool { return p.text == nil }

// Key derives a 32-byte key from the newest pepper. Keys for different purposes are independent. It
// fails if p is zero.
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
	if p.text == nil {
		return nil
	}
	return []byte(*p.text)
}

// String returns the redacted form.
func (p Pepper) String() string { return strconv.Itoa(len(p.bytes())) + " bytes" }

// GoString returns the redacted form.
func (p Pepper) GoString() string { return p.String() }

// Format writes the redacted form for every verb.
func (p Pepper) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// LogValue returns the redacted form.
func (p Pepper) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText returns the redacted form.
func (p Pepper) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
