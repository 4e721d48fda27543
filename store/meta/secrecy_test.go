package meta

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// TestSecretsAreNotStored uses keys in every way. The secrets must not be in the files, in the log, or in errors.
func TestSecretsAreNotStored(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		var log, said bytes.Buffer
		cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s := mustOpen(t, cfg)
		ctx := t.Context()
		keys, err := auth.New(auth.Config{Store: s, Pepper: pepper, Now: cfg.Now, Logger: cfg.Logger})
		if err != nil {
			t.Fatal(err)
		}
		use := func(secret auth.Secret) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("X-Api-Key", secret.Reveal())
			p, err := keys.Authenticate(ctx, r)
			fmt.Fprintf(&said, "%+v %v\n", p, err)
		}
		var secrets []auth.Secret
		for _, what := range []string{"active", "rotated", "revoked", "disabled", "expired"} {
			k := auth.Key{ID: what, Owner: "acme", All: true}
			if what == "expired" {
				k.Expires = noon.Add(-time.Hour)
			}
			_, secret, err := s.CreateKey(ctx, k)
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, secret)
			_, _, err = s.CreateKey(ctx, k)
			fmt.Fprintln(&said, err)
		}
		_, fresh, err1 := s.RotateKey(ctx, "rotated", time.Hour, nil)
		err2 := s.RevokeKey(ctx, "revoked", nil)
		err3 := s.SetKeyDisabled(ctx, "disabled", true)
		_, _, err4 := s.RotateKey(ctx, "revoked", 0, nil)
		fmt.Fprintln(&said, err1, err2, err3, err4)
		unknown, err := auth.NewSecret(nil, "")
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, fresh, unknown)
		for _, secret := range secrets {
			use(secret)
		}
		listed, err := s.Keys(ctx, "acme")
		fmt.Fprintf(&said, "%+v %v\n", listed, err)

		files := filesOf(t, s)
		for _, secret := range secrets {
			text := secret.Reveal()
			for _, trace := range []string{text, text[len(secret.Start()):], text[3:46],
				hex.EncodeToString([]byte(text))} {
				if n := strings.Count(files, trace); n > 0 {
					t.Errorf("the files contain a secret %d times", n)
				}
				if strings.Contains(log.String(), trace) || strings.Contains(said.String(), trace) {
					t.Errorf("a log or an error contains a secret:\n%s\n%s", log.String(), said.String())
				}
			}
		}
		if n := strings.Count(files, pepperText); n > 0 {
			t.Errorf("the files contain the pepper %d times", n)
		}
		// This shows that the search includes the places of keys.
		d := fresh.Digest(pepper)
		if !strings.Contains(files, hex.EncodeToString(d[:])) || !strings.Contains(files, fresh.Start()) {
			t.Error("the files contain neither the digest nor the start of a key")
		}
		for _, reason := range []string{"revoked", "disabled", "expired", "unknown"} {
			if !strings.Contains(log.String(), "reason="+reason) {
				t.Errorf("the log does not contain the reason %s:\n%s", reason, log.String())
			}
		}
	})
}
