package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// MaxTokenTTL is the maximum lifetime of a panel token.
const MaxTokenTTL = 24 * time.Hour

const (
	tokenMark = "t_"            // follows the prefix of secrets
	maxToken  = 4 << 10         // bytes of a token's text, since servers limit headers
	maxSkew   = 5 * time.Minute // how far ahead the clock of the minting server may be
)

// Claims narrow a key for a panel token. Empty fields keep the key's value.
type Claims struct {
	Scopes    []Scope    `json:"s,omitempty"` // read scopes; empty means all read scopes of the key
	Resources []Resource `json:"r,omitempty"` // empty means the resources of the key
	Filters   []Filter   `json:"f,omitempty"` // in addition to the filters of the key
	Types     []string   `json:"t,omitempty"` // query types; empty means the types of the key
	// the person who gets the token, as the host names them; for the audit trail
	Subject string `json:"u,omitempty"`
}

// Tokens mints and opens panel tokens: short-lived credentials for a browser in which a host shows customers
// their own numbers. A token is encrypted with a key derived from the pepper. It is not stored, and its
// holder cannot read its contents.
//
// A token is bound to the secret of a key. On every request it grants the intersection of its claims
// with the current rights of that key. So narrowing, disabling or revoking the key affects its tokens,
// too. A token becomes invalid with the secret: at a rotation, or at the end of the grace period.
type Tokens struct {
	cfg   TokensConfig
	seals []cipher.AEAD // one per pepper, the newest first
	mark  string        // prefix of tokens
}

// TokensConfig configures [NewTokens].
type TokensConfig struct {
	Pepper Pepper           // required; the pepper of the keys
	Prefix string           // prefix of secrets; empty means DefaultPrefix
	Now    func() time.Time // nil means time.Now
	Rand   io.Reader        // nil means crypto/rand
}

// NewTokens returns Tokens. Its error joins all problems of cfg.
func NewTokens(cfg TokensConfig) (*Tokens, error) {
	prefix, badPrefix := checkPrefix(cfg.Prefix)
	if err := errors.Join(cfg.Pepper.check(), badPrefix); err != nil {
		return nil, err
	}
	var seals []cipher.AEAD
	for _, pepper := range cfg.Pepper.Each() {
		seal, err := sealOf(pepper)
		if err != nil {
			return nil, fmt.Errorf("auth: token: %w", err)
		}
		seals = append(seals, seal)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	return &Tokens{cfg, seals, prefix + tokenMark}, nil
}

func sealOf(pepper Pepper) (cipher.AEAD, error) {
	key, err := pepper.Key("sightline panel token 1")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// sealed is the content of a token.
type sealed struct {
	ID      string `json:"id"`
	Key     []byte `json:"k"` // a Digest; as an array JSON would use three times the characters
	Minted  int64  `json:"m"` // Unix milliseconds
	Expires int64  `json:"e"`
	Claims  Claims `json:"c"`
}

// Mint makes a token for the key whose secret has the digest key. ttl is between one second and
// [MaxTokenTTL]. Its error wraps [ErrBadKey]. It is [FieldErrors] with all mistakes in ttl and claims,
// or says that the token would be too long.
func (t *Tokens) Mint(key Digest, c Claims, ttl time.Duration) (Secret, error) {
	faults := c.faults()
	if ttl < time.Second || ttl > MaxTokenTTL {
		faults.add("ttl", fmt.Sprintf("must be between 1 and %v seconds, not %v", MaxTokenTTL.Seconds(), ttl.Seconds()))
	}
	if err := faults.err(); err != nil {
		return Secret{}, err
	}
	id, err := base62(t.cfg.Rand, 20)
	if err != nil {
		return Secret{}, err
	}
	now := t.cfg.Now()
	plain, err := json.Marshal(sealed{ID: "tok_" + id, Key: key[:], Minted: now.UnixMilli(),
		Expires: now.Add(ttl).UnixMilli(), Claims: c})
	if err != nil {
		return Secret{}, fmt.Errorf("auth: token: %w", err)
	}
	seal := t.seals[0]
	nonce := make([]byte, seal.NonceSize())
	if _, err := io.ReadFull(t.cfg.Rand, nonce); err != nil {
		return Secret{}, fmt.Errorf("auth: random source: %w", err)
	}
	text := t.mark + base64.RawURLEncoding.EncodeToString(seal.Seal(nonce, nonce, plain, []byte(t.mark)))
	if len(text) > maxToken {
		return Secret{}, FieldErrors{{Field: "body",
			Message: fmt.Sprintf("the token would have %d characters, more than %d", len(text), maxToken)}}
	}
	return Secret{&text}, nil
}

// open returns the content of a token, or a few words for why the token is refused.
func (t *Tokens) open(text string) (s sealed, refusal string) {
	body, ok := strings.CutPrefix(text, t.mark)
	if !ok || len(text) > maxToken {
		return sealed{}, "malformed token"
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil || len(raw) < t.seals[0].NonceSize() {
		return sealed{}, "malformed token"
	}
	var plain []byte
	for _, seal := range t.seals {
		nonce := raw[:seal.NonceSize()]
		if plain, err = seal.Open(nil, nonce, raw[len(nonce):], []byte(t.mark)); err == nil {
			break
		}
	}
	if err != nil || json.Unmarshal(plain, &s) != nil || len(s.Key) != len(Digest{}) {
		return sealed{}, "token was not sealed with this pepper"
	}
	switch now := t.cfg.Now(); {
	case now.UnixMilli() >= s.Expires:
		return sealed{}, "expired token"
	case now.Add(maxSkew).UnixMilli() < s.Minted:
		return sealed{}, "token was minted in the future"
	}
	return s, ""
}

// readScopes returns the scopes that a panel token may have.
func readScopes() []Scope { return []Scope{ReadData, ReadLinks, ReadMonitors} }

// Check returns all mistakes in c as [FieldErrors], or nil.
func (c Claims) Check() error { return c.faults().err() }

func (c Claims) faults() (faults FieldErrors) {
	faults.checkScopes(c.Scopes, readScopes())
	faults.checkNarrowing(c.Resources, c.Filters, c.Types)
	return faults
}

// narrowed returns k limited by c. The result never grants more than k.
func (k *Key) narrowed(c Claims) *Key {
	n := k.Clone()
	n.Scopes = slices.DeleteFunc(n.Scopes, func(s Scope) bool {
		return !slices.Contains(readScopes(), s) || len(c.Scopes) > 0 && !slices.Contains(c.Scopes, s)
	})
	if len(c.Resources) > 0 {
		n.All, n.Resources = false, nil
		for _, r := range c.Resources {
			if k.reaches(Resource{Kind: r.Kind, ID: r.ID, Owner: k.Owner}) {
				n.Resources = append(n.Resources, Resource{Kind: r.Kind, ID: r.ID})
			}
		}
	}
	n.Filters = append(n.Filters, c.Filters...)
	if len(c.Types) > 0 {
		n.Types = []string{} // an empty list allows no type; nil would allow all
		for _, name := range c.Types {
			if k.Types == nil || slices.Contains(k.Types, name) {
				n.Types = append(n.Types, name)
			}
		}
	}
	return &n
}
