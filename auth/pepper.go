package auth

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// A Pepper is a server's own secret: what digests of secrets, seals of tokens and of the
// audit trail are made with. It prints, logs and marshals as its length. Do not keep one in
// an unexported field, which fmt prints without asking; a func that returns it is safe.
type Pepper []byte

// String returns the redacted form.
func (p Pepper) String() string { return strconv.Itoa(len(p)) + " bytes" }

// GoString returns the redacted form.
func (p Pepper) GoString() string { return p.String() }

// Format writes the redacted form whatever the verb.
func (p Pepper) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// LogValue returns the redacted form.
func (p Pepper) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText returns the redacted form.
func (p Pepper) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Format prints nothing of the pepper. fmt may print fields without asking them.
func (KeysConfig) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "auth.KeysConfig") }

// Format prints nothing of the pepper.
func (Tokens) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "auth.Tokens") }

// Format prints nothing of the pepper and the keys.
func (*Memory) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "auth.Memory") }
