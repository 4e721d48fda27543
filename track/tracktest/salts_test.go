package tracktest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/tracktest"
)

const flawVariable = "TRACKTEST_FLAW"

// flaws maps each planted mistake to the case that must detect it.
var flaws = map[string]string{
	"has 8 bytes":                     "random",
	"has the same bytes":              "random",
	"counts days from the local zone": "one a day",
	"has one salt for all days":       "days differ",
	"has a salt for each process":     "restart",
	"replaces a concurrent salt":      "first calls at once",
	"forgets yesterday":               "until the end of the next day",
	"hides old salts":                 "destroyed",
	"returns old salts":               "destroyed",
	"has a salt for any day":          "future",
	"shares its memory":               "own copy",
}

// flawed reports whether the environment selects this flaw. Only TestSuiteCatches selects flaws; without a flaw the
// suite must pass.
func flawed(name string) bool { return os.Getenv(flawVariable) == name }

// TestSuiteCatches runs the test below in separate processes, since it must fail.
func TestSuiteCatches(t *testing.T) {
	for name, caught := range flaws {
		t.Run(name, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Skip(err)
			}
			caught := strings.ReplaceAll(caught, " ", "_")
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFlawed$/^"+caught+"$", "-test.v")
			cmd.Env = append(os.Environ(), flawVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if _, failed := errors.AsType[*exec.ExitError](err); !failed {
				t.Fatalf("the suite did not detect the flaw: %v", err)
			}
			if where := "--- FAIL: TestFlawed/" + caught; !strings.Contains(string(out), where) ||
				!strings.Contains(string(out), "the rule: ") {
				t.Errorf("the output lacks %q:\n%s", where, out)
			}
		})
	}
}

func TestFlawed(t *testing.T) {
	tracktest.RunSalts(t, func(*testing.T) tracktest.Opener {
		m := &memory{salts: map[int64][]byte{}}
		return func(now func() time.Time) track.Salts {
			if flawed("has a salt for each process") {
				m = &memory{salts: map[int64][]byte{}}
			}
			return &salts{memory: m, now: now}
		}
	})
}

// memory is the place of salts that share it.
type memory struct {
	mu    sync.Mutex
	salts map[int64][]byte
}

// salts are salts with the selected flaw.
type salts struct {
	*memory
	now func() time.Time
}

func (s *salts) Salt(_ context.Context, at time.Time) ([]byte, error) {
	n, today := at.Unix()/86400, s.now().Unix()/86400
	if flawed("counts days from the local zone") {
		n = int64(at.YearDay()) - int64(s.now().YearDay()) + today
	}
	oldest := today - 1
	if flawed("forgets yesterday") {
		oldest = today
	}
	switch {
	case n < oldest && !flawed("returns old salts"):
		return nil, store.ErrNotFound
	case n > today+1 && !flawed("has a salt for any day"):
		return nil, store.ErrInvalid
	}
	if flawed("has one salt for all days") {
		n, oldest = 0, 0
	}
	s.mu.Lock()
	for day := range s.salts {
		if day < oldest && !flawed("hides old salts") && !flawed("returns old salts") {
			delete(s.salts, day)
		}
	}
	salt := s.salts[n]
	if flawed("replaces a concurrent salt") && salt == nil {
		s.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		s.mu.Lock()
	}
	if salt == nil {
		salt = s.random()
		s.salts[n] = salt
	}
	s.mu.Unlock()
	if flawed("shares its memory") {
		return salt, nil
	}
	return slices.Clone(salt), nil
}

func (*salts) random() []byte {
	size := 32
	if flawed("has 8 bytes") {
		size = 8
	}
	salt := make([]byte, size)
	if !flawed("has the same bytes") {
		_, _ = rand.Read(salt) // never fails
	}
	return salt
}
