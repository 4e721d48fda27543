package importer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Salts provides a secret for each UTC day, which is destroyed at the end of the next day, as track.Salts does. The
// error of Salt wraps store.ErrNotFound if the salt was destroyed.
type Salts interface {
	Salt(ctx context.Context, day time.Time) ([]byte, error)
}

// kept is the secret of an import that ended, in a form that cannot be read once the salt of its day is destroyed.
type kept struct {
	Day    time.Time `json:"day"`
	Nonce  []byte    `json:"nonce"`
	Hidden []byte    `json:"hidden"`
}

// hide returns secret, which has the length of a hash, hidden with the salt of today.
func hide(ctx context.Context, cfg *Config, secret []byte) (*kept, error) {
	k := &kept{Day: cfg.Now().UTC(), Nonce: make([]byte, sha256.Size), Hidden: make([]byte, sha256.Size)}
	_, _ = rand.Read(k.Nonce) // never fails
	mask, err := k.mask(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("importer: progress: %w", err)
	}
	subtle.XORBytes(k.Hidden, secret, mask)
	return k, nil
}

// open returns the secret; nil if it cannot be read any more.
func (k *kept) open(ctx context.Context, cfg *Config) ([]byte, error) {
	if k == nil || cfg.Salts == nil || len(k.Hidden) != sha256.Size {
		return nil, nil
	}
	mask, err := k.mask(ctx, cfg)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrInvalid): // invalid: the clock was set back
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("importer: progress: %w", err)
	}
	secret := make([]byte, sha256.Size)
	subtle.XORBytes(secret, k.Hidden, mask)
	return secret, nil
}

func (k *kept) mask(ctx context.Context, cfg *Config) ([]byte, error) {
	salt, err := cfg.Salts.Salt(ctx, k.Day)
	if err != nil {
		return nil, err
	}
	mask := hmac.New(sha256.New, salt)
	_, _ = mask.Write([]byte("import\x00" + cfg.Website.ID + "\x00")) // never fails
	_, _ = mask.Write(k.Nonce)
	return mask.Sum(nil), nil
}
