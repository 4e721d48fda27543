package matrix

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store/meta"
)

// TestNothingShowsSecrets prints, logs and marshals all values with a key, a token or the pepper, in every possible
// way.
func TestNothingShowsSecrets(t *testing.T) {
	e := onSQLite(t)
	w := newWorld(t, e)
	keys := auth.Config{Store: w.cache, Pepper: pepper, Now: noonClock}
	authenticator, err := auth.New(keys)
	if err != nil {
		t.Fatal(err)
	}
	st := state{sent: "revoked"}
	req := request(sampleOf(t, routes()[0]), routes()[0], kinds[0], listed)
	st.show(w, req.Header)
	_, refused := authenticator.Authenticate(t.Context(), req)
	req.Header.Del("X-Api-Key")
	state{sent: "token", bearer: true}.show(w, req.Header)
	principal, err := authenticator.Authenticate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Id", "one")
	w.send(hostAPI, req)
	sqlite, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "meta.sqlite"), Pepper: pepper})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sqlite.Close(context.Background()) })
	const password = "the-password-of-the-database"
	postgres := meta.Config{DSN: "postgres://someone:" + password + "@127.0.0.1:1/none?connect_timeout=1",
		Pepper: pepper, Wait: time.Millisecond, Timeout: time.Second}
	_, unreachable := meta.Open(t.Context(), postgres)
	_, malformedDSN := meta.Open(t.Context(),
		meta.Config{DSN: "postgres://someone:" + password + "@[::1/%zz", Pepper: pepper})
	_, short := auth.NewPepper([]byte(pepperText[:10]))
	memory, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := memory.CreateKey(t.Context(), auth.Key{Owner: acme}); err != nil {
		t.Fatal(err)
	}
	entries := w.entries(t)["one"]
	// Printing reads the whole value, so no goroutine may change it.
	if err := errors.Join(w.audit.Close(t.Context()), e.close(), sqlite.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	show := map[string]any{
		"a key":                     w.keys["right"],
		"a secret":                  w.secrets["right"],
		"a token":                   w.secrets["token"],
		"the pepper":                pepper,
		"the configuration":         keys,
		"an authenticator":          authenticator,
		"a principal":               principal,
		"what mints":                tokens(t, auth.TokensConfig{Pepper: pepper}),
		"keys in memory":            memory,
		"the trail's configuration": audit.Config{Log: w.trail, Pepper: pepper},
		"the trail's writer":        w.audit,
		"the configuration of meta": meta.Config{Path: "x", Pepper: pepper},
		"the same with a DSN":       postgres,
		"a store":                   sqlite,
		"a cache":                   w.cache,
		"entries":                   entries,
		"a refusal":                 refused,
		"a database out of reach":   unreachable,
		"a DSN that is none":        malformedDSN,
		"a pepper that is short":    short,
	}
	if len(entries) != 1 || refused == nil || unreachable == nil || malformedDSN == nil || short == nil {
		t.Fatal("a value to print is missing")
	}
	for name, v := range show {
		ways := printed(v)
		if name != "the same with a DSN" {
			// fmt prints unexported fields without their methods.
			for _, verb := range verbs {
				ways["hidden "+verb] = fmt.Sprintf(verb, struct{ v any }{v})
			}
		}
		for how, text := range ways {
			for what, secret := range map[string]string{
				"the pepper": pepperText, "half of the pepper": pepperText[:10], "the password": password,
				"the key": w.secrets["right"].Reveal()[10:], "the token": w.secrets["token"].Reveal()[10:],
				"the revoked key": w.secrets["revoked"].Reveal()[10:],
			} {
				if showsIn(text, secret) {
					t.Errorf("%s with %s shows %s: %s", name, how, what, text)
				}
			}
		}
	}
	if text := fmt.Sprintf("%v", struct{ p []byte }{[]byte(pepperText)}); !showsIn(text, pepperText) {
		t.Errorf("a printed pepper was not found in %s", text)
	}
}

var verbs = []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%b"}

// printed returns v in every format.
func printed(v any) map[string]string {
	out := map[string]string{}
	for _, verb := range verbs {
		out[verb] = fmt.Sprintf(verb, v)
		out["inside "+verb] = fmt.Sprintf(verb, struct{ V any }{v})
		out["pointer inside "+verb] = fmt.Sprintf(verb, struct{ V any }{&v})
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).LogAttrs(context.Background(), slog.LevelInfo, "shown", slog.Any("v", v))
	}
	out["slog"] = log.String()
	if js, err := json.Marshal(v); err == nil {
		out["json"] = string(js)
	}
	return out
}

// showsIn looks for a secret as text, as numbers, in base 16 and in base 64.
func showsIn(text, secret string) bool {
	b := []byte(secret)
	for _, form := range []string{
		secret, hex.EncodeToString(b), base64.StdEncoding.EncodeToString(b[:len(b)/3*3]),
		spelled(b, "%d", " "), spelled(b, "0x%x", ", "), spelled(b, "%x", " "), spelled(b, "%b", " "),
	} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
			return true
		}
	}
	return false
}

// spelled returns b as fmt prints slices of bytes.
func spelled(b []byte, verb, between string) string {
	list := make([]string, len(b))
	for i, one := range b {
		list[i] = fmt.Sprintf(verb, one)
	}
	return strings.Join(list, between)
}
