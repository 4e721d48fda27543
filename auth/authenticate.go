package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// A KeyStore finds keys by digest. authtest.Run tests one.
type KeyStore interface {
	// KeyByDigest returns the key whose secret has digest d, or an error that wraps
	// ErrNotFound when there is none. Any other error means that it could not find out.
	//
	// After a rotation with a grace period the old secret's digest finds the key too,
	// until the period is over. Every key has an id and an owner. A key that is disabled, revoked or expired is found, too: the caller
	// checks that. Stores compare the digest they found with [Digest.Equal]. The caller may change the
	// key returned.
	KeyByDigest(ctx context.Context, d Digest) (*Key, error)
}

// A Principal is an authenticated caller.
type Principal struct {
	// Key is never nil and has an id and an owner; for a host's own sessions the host makes one up. Its Start comes from the
	// secret that was sent. For a panel token it is the token's key, narrowed by the claims.
	Key *Key
	// Token is the id of the panel token that was sent; empty when it was the key itself. Rate limits
	// give each token a bucket of its own.
	Token string
	// Subject is the person that the token was minted for, as in Claims, for the audit trail.
	Subject string
}

// MayExplain reports whether p may see the plan, SQL and arguments of its queries. That needs
// [ReadData], and neither mandatory filters nor a panel token: SQL would show the filters, and to a
// panel's viewer what the panel hides.
func (p *Principal) MayExplain() bool {
	return p.Key.Has(ReadData) && len(p.Key.Filters) == 0 && p.Token == ""
}

// An Authenticator finds out who sent a request. API keys, a host's own sessions and
// panel tokens are implementations.
type Authenticator interface {
	// Authenticate returns the caller, or an error that wraps ErrRequired: ErrMissing
	// when the request carries no credentials, ErrInvalid when they are no good. Any
	// other error means that it could not find out.
	Authenticate(ctx context.Context, r *http.Request) (*Principal, error)
}

// A Screening says what credentials look like before anything is looked up.
type Screening int

// The results of a screening.
const (
	Doubtful   Screening = iota // no credentials, or malformed ones
	WellFormed                  // a secret whose checksum is right; anybody can make one
	Genuine                     // a panel token that a holder of the pepper sealed, and that has not expired
)

// A Screener is an [Authenticator] that can judge credentials without looking them up. Requests with genuine
// credentials are authenticated although too many requests of the same network failed.
type Screener interface {
	Screen(r *http.Request) Screening
}

// A Minter makes panel tokens for the key that a request carries.
type Minter interface {
	// Mint makes a token for the key in the headers of r, which an Authenticator accepted. Its error
	// wraps [ErrBadKey] when ttl or claims are wrong, and [ErrRequired] when there is no key.
	Mint(r *http.Request, c Claims, ttl time.Duration) (Secret, error)
}

// Config is what [New] needs.
type Config struct {
	Store  KeyStore         // required
	Pepper Pepper           // required; with the older peppers that digests in the store were made with
	Prefix string           // of secrets; empty means DefaultPrefix
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // gets why a key was refused, never its secret; nil means silent
	// Used is called with the id of every key that was accepted, and when, while the request waits: it
	// must not block. nil means none.
	Used func(id string, at time.Time)
}

// Keys is an [Authenticator] of API keys and of their panel tokens (see [Tokens]). It asks the
// store at every request, so a key that the store knows to be revoked is refused at once.
type Keys struct {
	cfg     Config
	tokens  *Tokens
	digests []*digester // one of each pepper, the newest first
}

// New makes Keys. Its error joins all problems of cfg.
func New(cfg Config) (*Keys, error) {
	var noStore error
	if cfg.Store == nil {
		noStore = errors.New("auth: store of keys is missing")
	}
	tokens, err := NewTokens(TokensConfig{Pepper: cfg.Pepper, Prefix: cfg.Prefix, Now: cfg.Now})
	if err := errors.Join(noStore, err); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	a := &Keys{cfg: cfg, tokens: tokens}
	for _, pepper := range cfg.Pepper.Each() {
		a.digests = append(a.digests, newDigester(pepper))
	}
	return a, nil
}

// Authenticate implements [Authenticator].
func (a *Keys) Authenticate(ctx context.Context, r *http.Request) (*Principal, error) {
	secret, err := Credential(r.Header, a.cfg.Prefix)
	if errors.Is(err, ErrInvalid) {
		if token := bearer(r.Header.Get("Authorization")); strings.HasPrefix(token, a.tokens.mark) {
			return a.panel(ctx, token)
		}
		return nil, a.refuse(ctx, "malformed", RefusedError{})
	}
	if err != nil {
		return nil, err
	}
	start := secret.Start()
	key, _, err := a.lookUp(ctx, secret)
	if key, err = a.judge(ctx, key, err, start); err != nil {
		return nil, err
	}
	if key.Start != start { // it is the newest secret's; this one is in its grace
		sent := *key
		sent.Start, key = start, &sent
	}
	return &Principal{Key: key}, nil
}

// Screen implements [Screener].
func (a *Keys) Screen(r *http.Request) Screening {
	if _, err := Credential(r.Header, a.cfg.Prefix); err == nil {
		return WellFormed
	}
	if _, refusal := a.tokens.open(bearer(r.Header.Get("Authorization"))); refusal == "" {
		return Genuine
	}
	return Doubtful
}

// Mint implements [Minter].
func (a *Keys) Mint(r *http.Request, c Claims, ttl time.Duration) (Secret, error) {
	secret, err := Credential(r.Header, a.cfg.Prefix)
	if err != nil {
		return Secret{}, err
	}
	_, digest, err := a.lookUp(r.Context(), secret)
	if err != nil {
		return Secret{}, fmt.Errorf("auth: looking up a key: %w", err)
	}
	return a.tokens.Mint(digest, c, ttl)
}

// lookUp asks the store for the key of a secret, and says by which digest it is known there.
func (a *Keys) lookUp(ctx context.Context, secret Secret) (key *Key, known Digest, err error) {
	for _, d := range a.digests {
		known = d.digest(secret)
		if key, err = a.cfg.Store.KeyByDigest(ctx, known); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return key, known, err
}

// panel authenticates the bearer of a panel token.
func (a *Keys) panel(ctx context.Context, text string) (*Principal, error) {
	token, refusal := a.tokens.open(text)
	if refusal != "" {
		return nil, a.refuse(ctx, refusal, RefusedError{})
	}
	key, err := a.cfg.Store.KeyByDigest(ctx, Digest(token.Key))
	if key, err = a.judge(ctx, key, err, ""); err != nil {
		return nil, err
	}
	return &Principal{Key: key.narrowed(token.Claims), Token: token.ID, Subject: token.Claims.Subject}, nil
}

// judge returns the key that a look-up brought, if it is valid; start is of what was sent, for
// the log.
func (a *Keys) judge(ctx context.Context, key *Key, err error, start string) (*Key, error) {
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, a.refuse(ctx, "unknown", RefusedError{Start: start})
	case err != nil:
		return nil, fmt.Errorf("auth: looking up a key: %w", err)
	case key == nil:
		return nil, errors.New("auth: store returned neither a key nor an error")
	case key.ID == "" || key.Owner == "":
		return nil, fmt.Errorf("%w, from the store", ErrNoID)
	}
	now := a.cfg.Now()
	if reason := key.refusal(now); reason != "" {
		return nil, a.refuse(ctx, reason, RefusedError{KeyID: key.ID, Owner: key.Owner, Start: start})
	}
	if a.cfg.Used != nil {
		a.cfg.Used(key.ID, now)
	}
	return key, nil
}

// refuse logs why, and returns what reads alike to all callers.
func (a *Keys) refuse(ctx context.Context, reason string, who RefusedError) error {
	attrs := []slog.Attr{slog.String("reason", reason)}
	for _, known := range [][2]string{{"key", who.KeyID}, {"start", who.Start}, {"owner", who.Owner}} {
		if known[1] != "" {
			attrs = append(attrs, slog.String(known[0], known[1]))
		}
	}
	a.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "API key refused", attrs...)
	return &who
}

// Credential reads the secret that a request carries: that of x-api-key when it is
// well-formed, else that of Authorization: Bearer. Its error wraps [ErrMissing] when
// neither header has one (other schemes are none), and [ErrInvalid] when what was
// sent is not well-formed. An empty prefix means [DefaultPrefix].
func Credential(h http.Header, prefix string) (Secret, error) {
	sent := false
	for _, text := range []string{strings.TrimSpace(h.Get("X-Api-Key")), bearer(h.Get("Authorization"))} {
		if text == "" {
			continue
		}
		sent = true
		if s, err := ParseSecret(text, prefix); err == nil {
			return s, nil
		}
	}
	if sent {
		return Secret{}, ErrInvalid
	}
	return Secret{}, ErrMissing
}

func bearer(header string) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
