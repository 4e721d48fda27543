package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// DefaultPrefix is the default prefix of secrets.
const DefaultPrefix = "sl"

const (
	alphabet  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLen = 43 // a little more than 256 bits
	checkLen  = 6  // 62^6 is more than 2^32
	startLen  = 8
	maxPrefix = 16
)

// A Secret is the text that a caller sends to authenticate. It prints, logs and marshals as its first 8
// characters and an ellipsis; only [Secret.Reveal] returns all of it. The zero Secret is empty.
type Secret struct {
	// A pointer hides the text from fmt, which prints unexported fields without calling their methods.
	text *string
}

// A Digest is the HMAC of a secret. Stores save it instead of the secret.
type Digest [sha256.Size]byte

// Equal reports whether d and other are the same. It takes the same time wherever they differ.
func (d Digest) Equal(other Digest) bool {
	return subtle.ConstantTimeCompare(d[:], other[:]) == 1
}

// NewSecret makes a secret from random bytes of r; nil means crypto/rand. An empty prefix means
// [DefaultPrefix]. It fails if r fails or if the prefix is not allowed.
func NewSecret(r io.Reader, prefix string) (Secret, error) {
	prefix, err := checkPrefix(prefix)
	if err != nil {
		return Secret{}, err
	}
	random, err := base62(r, randomLen)
	if err != nil {
		return Secret{}, err
	}
	text := prefix + "_" + random
	text += checksum(text)
	return Secret{&text}, nil
}

// ParseSecret returns text as a Secret if its prefix, length, characters and checksum are correct. It asks no
// store. Otherwise its error wraps [ErrInvalid] and does not contain the text. An empty prefix means
// [DefaultPrefix].
func ParseSecret(text, prefix string) (Secret, error) {
	prefix, err := checkPrefix(prefix)
	if err != nil {
		return Secret{}, err
	}
	body, ok := strings.CutPrefix(text, prefix+"_")
	if !ok || len(body) != randomLen+checkLen || !isBase62(body) {
		return Secret{}, fmt.Errorf("%w: does not look like a key", ErrInvalid)
	}
	if cut := len(text) - checkLen; text[cut:] != checksum(text[:cut]) {
		return Secret{}, fmt.Errorf("%w: wrong checksum", ErrInvalid)
	}
	return Secret{&text}, nil
}

// Reveal returns the whole text. Show it once to the person who receives the key, and do not store it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Digest returns the HMAC-SHA-256 of the secret under the newest pepper.
func (s Secret) Digest(pepper Pepper) Digest {
	mac := hmac.New(sha256.New, pepper.bytes())
	mac.Write([]byte(s.Reveal()))
	return Digest(mac.Sum(nil))
}

// Prefix returns the text before the first underscore.
func (s Secret) Prefix() string {
	prefix, _, _ := strings.Cut(s.Reveal(), "_")
	return prefix
}

// Start returns the first 8 characters. People use them to tell keys apart.
func (s Secret) Start() string {
	text := s.Reveal()
	return text[:min(startLen, len(text))]
}

// String returns the redacted form.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return s.Start() + "…"
}

// GoString returns the redacted form.
func (s Secret) GoString() string { return s.String() }

// Format writes the redacted form for every verb. Without it, %d and other verbs would print the
// fields.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the redacted form.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the redacted form.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// checkPrefix returns prefix, or the default for an empty one. Only letters and digits are allowed,
// because the prefix ends at the first underscore.
func checkPrefix(prefix string) (string, error) {
	if prefix == "" {
		return DefaultPrefix, nil
	}
	if len(prefix) > maxPrefix {
		return "", fmt.Errorf("auth: prefix of secrets has %d characters, more than %d", len(prefix), maxPrefix)
	}
	if !isBase62(prefix) {
		return "", fmt.Errorf("auth: prefix of secrets %q may only have letters and digits", prefix)
	}
	return prefix, nil
}

func isBase62(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		default:
			return false
		}
	}
	return true
}

// base62 draws n characters with equal probability. It rejects bytes from 248 on, since 256 is not a
// multiple of 62.
func base62(r io.Reader, n int) (string, error) {
	if r == nil {
		r = rand.Reader
	}
	const fair = 256 - 256%len(alphabet)
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/4)
	for len(out) < n {
		if _, err := io.ReadFull(r, buf); err != nil {
			return "", fmt.Errorf("auth: random source: %w", err)
		}
		for _, b := range buf {
			if int(b) < fair && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out), nil
}

// checksum returns the CRC-32 (IEEE) of text in base 62, most significant digit first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var out [checkLen]byte
	for i := checkLen - 1; i >= 0; i-- {
		out[i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return string(out[:])
}
