package auth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// zeros is a predictable random source.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func mustSecret(t testing.TB, prefix string) auth.Secret {
	t.Helper()
	s, err := auth.NewSecret(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewSecretForm(t *testing.T) {
	s, err := auth.NewSecret(zeros{}, "")
	if err != nil {
		t.Fatal(err)
	}
	// The CRC-32 of sl_ and 43 zeros, 0x3149db8c, was computed with another program.
	if want := "sl_" + strings.Repeat("0", 43) + "0txggW"; s.Reveal() != want {
		t.Errorf("secret %s, want %s", s.Reveal(), want)
	}
	if s.Prefix() != "sl" || s.Start() != "sl_00000" {
		t.Errorf("prefix %q, start %q", s.Prefix(), s.Start())
	}
	if own := mustSecret(t, "acme2"); !strings.HasPrefix(own.Reveal(), "acme2_") || len(own.Reveal()) != 6+49 ||
		own.Prefix() != "acme2" {
		t.Errorf("custom prefix: %q", own.Reveal())
	}
}

func TestNewSecretIsRandom(t *testing.T) {
	seen := map[string]bool{}
	var count [128]int
	for range 2000 {
		text := mustSecret(t, "").Reveal()
		if seen[text] {
			t.Fatal("the same secret was made twice")
		}
		seen[text] = true
		for _, c := range text[3:46] {
			count[c]++
		}
	}
	// The 86 000 characters have 1 387 of each on average, with a standard deviation of 37.
	for _, c := range base62 {
		if count[c] < 1100 || count[c] > 1700 {
			t.Errorf("%c appeared %d times", c, count[c])
		}
	}
}

func TestNewSecretErrors(t *testing.T) {
	if _, err := auth.NewSecret(io.LimitReader(zeros{}, 10), ""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short random source: %v", err)
	}
	for _, prefix := range []string{"a_b", "ä", "a b", "-", strings.Repeat("a", 17)} {
		if _, err := auth.NewSecret(nil, prefix); err == nil {
			t.Errorf("prefix %q was accepted", prefix)
		}
		if _, err := auth.ParseSecret("x", prefix); err == nil || errors.Is(err, auth.ErrInvalid) {
			t.Errorf("parsing with prefix %q: %v", prefix, err)
		}
	}
}

func TestParseSecretRefusesEveryTypo(t *testing.T) {
	text := mustSecret(t, "").Reveal()
	if s, err := auth.ParseSecret(text, ""); err != nil || s.Reveal() != text {
		t.Fatalf("the secret itself: %v", err)
	}
	try := func(what, typo string) {
		if typo == text {
			return
		}
		if _, err := auth.ParseSecret(typo, ""); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("%s: %q for %q: %v", what, typo, text, err)
		} else if typo != "" && strings.Contains(err.Error(), typo) {
			t.Errorf("%s: the error contains the secret", what)
		}
	}
	for i := range len(text) {
		for _, c := range base62 + "_- \x00" {
			try("one other character", text[:i]+string(c)+text[i+1:])
		}
		try("one missing", text[:i]+text[i+1:])
		try("one doubled", text[:i+1]+text[i:])
	}
	for i := 3; i < 45; i++ {
		try("two swapped", text[:i]+text[i+1:i+2]+text[i:i+1]+text[i+2:])
	}
	try("another prefix", "xy"+text[2:])
	try("in capitals", strings.ToUpper(text))
	try("with a blank", " "+text)
	try("nothing", "")
}

func TestDigest(t *testing.T) {
	s, err := auth.NewSecret(zeros{}, "")
	if err != nil {
		t.Fatal(err)
	}
	// Computed with another implementation of HMAC.
	const want = "7086c7ef97794dc0b47b2a9cd69a74f5b7a2b681ff4607e283a59ada302b1332"
	one, _ := auth.NewPepper([]byte("0123456789abcdef"))
	other, _ := auth.NewPepper([]byte("0123456789abcdeg"))
	d := s.Digest(one)
	if got := fmt.Sprintf("%x", d); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	if d == s.Digest(other) || d.Equal(s.Digest(other)) {
		t.Error("another pepper gives the same digest")
	}
	if !d.Equal(d) {
		t.Error("a digest is not equal to itself")
	}
}

func TestSecretPrintsRedacted(t *testing.T) {
	s := mustSecret(t, "")
	hidden := s.Reveal()[len(s.Start()):]
	type holder struct {
		Open   auth.Secret
		closed auth.Secret
		Ptr    *auth.Secret
		Map    map[string]auth.Secret
	}
	h := holder{s, s, &s, map[string]auth.Secret{"x": s}}
	outputs := map[string]string{"error": fmt.Errorf("failed with %v: %w", s, io.EOF).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%60s"} {
		outputs[verb] = fmt.Sprintf(verb, s)
		outputs["pointer "+verb] = fmt.Sprintf(verb, &s)
		outputs["inside "+verb] = fmt.Sprintf(verb, h)
	}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("made", "secret", s, "holder", h, "pointer", &s,
			slog.Any("group", slog.GroupValue(slog.Any("s", s))))
	}
	outputs["log"] = log.String()
	js, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	outputs["json"] = string(js)
	hex := fmt.Sprintf("%x", hidden)
	for how, text := range outputs {
		if strings.Contains(text, hidden) || strings.Contains(strings.ToLower(text), hex) {
			t.Errorf("%s shows the secret: %s", how, text)
		}
	}
	if want := s.Start() + "…"; s.String() != want || outputs["%d"] != want ||
		!strings.Contains(outputs["json"], `"Open":"`+want) {
		t.Errorf("redacted form = %q, want %q", s, want)
	}
	if zero := (auth.Secret{}); zero.String() != "" || zero.Reveal() != "" || zero.Start() != "" ||
		zero.Prefix() != "" {
		t.Error("the zero secret is not empty")
	}
}

func FuzzParseSecret(f *testing.F) {
	good := mustSecret(f, "").Reveal()
	for _, seed := range []string{
		good, good[:51], good + "0", "", "sl_", "_", strings.ToLower(good), " " + good, good + "\n", "Bearer " + good,
		"sl_" + strings.Repeat("0", 43) + "0txggW", strings.Repeat("a", 1<<16), "sl_" + strings.Repeat("ü", 24) + "0",
		"\xff\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := auth.ParseSecret(text, "")
		if err != nil {
			if !errors.Is(err, auth.ErrInvalid) || s.Reveal() != "" {
				t.Fatalf("ParseSecret(%q) = %v, %v", text, s, err)
			}
			return
		}
		if s.Reveal() != text || len(text) != 52 || !strings.HasPrefix(text, "sl_") ||
			strings.Trim(text[3:], base62) != "" {
			t.Fatalf("ParseSecret(%q) succeeded", text)
		}
		// An accepted secret is rejected after a change of any one character.
		for i := range len(text) {
			typo := []byte(text)
			typo[i] ^= 1
			if _, err := auth.ParseSecret(string(typo), ""); err == nil {
				t.Fatalf("ParseSecret accepts both %q and %q", typo, text)
			}
		}
	})
}
