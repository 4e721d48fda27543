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

// MinPepper is the smallest length of a pepper, in bytes.
const MinPepper = 16

// A Pepper is a server's own secret, from which digests of secrets and the keys of tokens and of the
// audit trail are made. It may include older ones, which are only used to recognise what was made with
// them, so that a pepper can be changed. It prints, logs and marshals as its length alone. The zero
// Pepper is none.
type Pepper struct {
	// Pointers to what fmt does not follow: it prints unexported fields without asking their methods.
	text  *string
	older *Pepper // the next one; nil means that there is none
}

// NewPepper returns the pepper secret, with the older ones before it, the newest first. Its error says
// that one has fewer than [MinPepper] bytes, and shows none of them.
func NewPepper(secret []byte, older ...[]byte) (Pepper, error) {
	if len(secret) < MinPepper {
		return Pepper{}, fmt.Errorf("auth: pepper has %d bytes, fewer than %d", len(secret), MinPepper)
	}
	text := string(secret)
	p := Pepper{text: &text}
	if len(older) > 0 {
		rest, err := NewPepper(older[0], older[1:]...)
		if err != nil {
			return Pepper{}, fmt.Errorf("%w; it is an older one", err)
		}
		p.older = &rest
	}
	return p, nil
}

// Each lists the pepper and the older ones, the newest first, each as a Pepper of its own. For the zero
// Pepper it is empty.
func (p Pepper) Each() (all []Pepper) {
	for at := &p; at != nil && at.text != nil; at = at.older {
		all = append(all, Pepper{text: at.text})
	}
	return all
}

// IsZero reports whether p is the zero Pepper.
func (p Pepper) IsZero() bool { return p.text == nil }

// Key derives a key of 32 bytes for a purpose from the newest pepper; the keys of different purposes
// are independent. Its error says that p is zero.
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

// Format writes the redacted form whatever the verb.
func (p Pepper) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// LogValue returns the redacted form.
func (p Pepper) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText returns the redacted form.
func (p Pepper) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
