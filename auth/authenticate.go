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
	// KeyByDigest returns the key whose secret has digest d. If no key has it, the error wraps
	// ErrNotFound. Any other error means that the look-up failed.
	//
	// After a rotation with a grace period, the digest of the old secret also finds the key until
	// that period is over. Every key has an id and an owner. Disabled, revoked and expired keys are
	// returned as well, and the caller checks them. A store compares digests with [Digest.Equal].
	// The caller may change the returned key.
	KeyByDigest(ctx context.Context, d Digest) (*Key, error)
}

// A Principal is an authenticated caller.
type Principal struct {
	// Key is never nil and has an id and an owner. For its own sessions a host fills in a Key. Key.Start comes
	// from the secret in the request. For a panel token, Key is the token's key, narrowed by the claims.
	Key *Key
	// Token is the id of the panel token in the request. It is empty if the request carries the key
	// itself. Each token has its own rate limit.
	Token string
	// Subject is the person who received the token, as in Claims. It goes into the audit trail.
	Subject string
	// Expires is the time at which the panel token in the request expires. It is zero without a token.
	Expires time.Time
}

// An Authenticator finds out who sent a request, for example by an API key, a panel token or a
// session of the host.
type Authenticator interface {
	// Authenticate returns the caller. Its error wraps ErrMissing if the request carries no
	// credentials, and ErrInvalid if they are not accepted; both wrap ErrRequired. A [ChallengeError]
	// around them sets the header WWW-Authenticate. Any other error means that the check itself failed.
	Authenticate(ctx context.Context, r *http.Request) (*Principal, error)
}

// An AuthenticatorFunc is a function as an [Authenticator].
type AuthenticatorFunc func(ctx context.Context, r *http.Request) (*Principal, error)

// Authenticate implements [Authenticator].
func (f AuthenticatorFunc) Authenticate(ctx context.Context, r *http.Request) (*Principal, error) {
	return f(ctx, r)
}

// A Screening is a judgement of credentials by their form, before any look-up.
type Screening int

// The results of a screening.
const (
	Doubtful   Screening = iota // no credentials, or malformed ones
	WellFormed                  // a secret with a correct checksum, which anybody can make
	Genuine                     // a panel token that was sealed with the pepper and has not expired
)

// A Screener is an [Authenticator] that can judge credentials without a look-up. Genuine credentials are
// authenticated even if too many other requests from the same network failed.
type Screener interface {
	Screen(r *http.Request) Screening
}

// A Minter makes panel tokens for the key in a request.
type Minter interface {
	// Mint makes a token for the key in the headers of r, which an Authenticator has accepted. Its error
	// wraps [ErrBadKey] if ttl or claims are invalid, and [ErrRequired] if the headers hold no key.
	Mint(r *http.Request, c Claims, ttl time.Duration) (Secret, error)
}

// Config configures [New].
type Config struct {
	Store  KeyStore         // required
	Pepper Pepper           // required; includes the older peppers under which the store still has digests
	Prefix string           // prefix of secrets; empty means DefaultPrefix
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // logs why a key was refused, never its secret; nil means no log
	// Used is called with the id of every accepted key and the time of the request. The request waits for
	// it, so it must not block. It may be nil.
	Used func(id string, at time.Time)
}

// Keys is an [Authenticator] for API keys and their panel tokens (see [Tokens]). It asks the store
// on every request, so a revoked key is refused as soon as the store knows.
type Keys struct {
	cfg     Config
	tokens  *Tokens
	digests []*digester // one per pepper, the newest first
}

// New returns Keys. Its error joins all problems of cfg.
func New(cfg Config) (*Keys, error) {
	var noStore error
	if cfg.Store == nil {
		noStore = errors.New("auth: Config.Store is required")
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
	if key.Start != start { // key.Start belongs to the newest secret; the request has an old one in its grace period
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

// lookUp returns the key of a secret from the store, and the digest under which the store knows it.
func (a *Keys) lookUp(ctx context.Context, secret Secret) (key *Key, known Digest, err error) {
	for _, d := range a.digests {
		known = d.digest(secret)
		if key, err = a.cfg.Store.KeyByDigest(ctx, known); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return key, known, err
}

// panel authenticates a request with a panel token.
func (a *Keys) panel(ctx context.Context, text string) (*Principal, error) {
	token, refusal := a.tokens.open(text)
	if refusal != "" {
		return nil, a.refuse(ctx, refusal, RefusedError{})
	}
	key, err := a.cfg.Store.KeyByDigest(ctx, Digest(token.Key))
	if key, err = a.judge(ctx, key, err, ""); err != nil {
		return nil, err
	}
	return &Principal{Key: key.narrowed(token.Claims), Token: token.ID, Subject: token.Claims.Subject,
		Expires: time.UnixMilli(token.Expires).UTC()}, nil
}

// judge returns key if it is valid. key and err come from a look-up, and start is the beginning of the
// secret in the request, for the log.
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
	if state := key.State(now); state != Active {
		return nil, a.refuse(ctx, string(state), RefusedError{KeyID: key.ID, Owner: key.Owner, Start: start})
	}
	if a.cfg.Used != nil {
		a.cfg.Used(key.ID, now)
	}
	return key, nil
}

// refuse logs the reason and returns an error with the same text for every reason.
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

// Credential returns the secret that a request carries: the one in x-api-key if it is well-formed,
// else the one in Authorization: Bearer. Its error wraps [ErrMissing] if neither header has a
// secret; other schemes than Bearer are ignored. It wraps [ErrInvalid] if the secret is malformed.
// An empty prefix means [DefaultPrefix].
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
