package jsontext_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/jsontext"
)

func TestAppend(t *testing.T) {
	v := map[string]any{"b": "<&>\n", "a": []int{1, 2}}
	const want = `x{"a":[1,2],"b":"<&>\n"}`
	if got, err := jsontext.Append([]byte("x"), v); err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err := jsontext.AppendLine([]byte("x"), v); err != nil || string(got) != want+"\n" {
		t.Errorf("%s, %v, want %s and a newline", got, err, want)
	}
	if got, err := jsontext.Append([]byte("x"), func() {}); err == nil || got != nil {
		t.Errorf("a function became %s, %v", got, err)
	}
}

func TestInstant(t *testing.T) {
	at := time.Date(2026, 3, 29, 14, 0, 0, 7_999_999, time.FixedZone("", 7200))
	if got := at.UTC().Format(jsontext.Instant); got != "2026-03-29T12:00:00.007Z" {
		t.Error(got)
	}
}
