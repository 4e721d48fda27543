package audit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// childPath has the test binary write to the log of that path, until it is killed.
const childPath = "SIGHTLINE_AUDIT_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child records as fast as it can for ten seconds, and says what it recorded and when.
func child(path string) error {
	f, err := audit.OpenFile(path)
	if err != nil {
		return err
	}
	w, err := audit.New(context.Background(), audit.Config{Log: f, Pepper: pepper})
	if err != nil {
		return err
	}
	began := time.Now()
	for i := 0; time.Since(began) < 10*time.Second; i++ {
		if err := w.Record(context.Background(), auth.Entry{Time: time.Now(), RequestID: fmt.Sprint(i)}); err != nil {
			return err
		}
		fmt.Println(i, time.Now().UnixMilli())
		time.Sleep(200 * time.Microsecond)
	}
	return errors.New("nobody killed the child")
}

// TestKill kills a writing process: what it recorded more than the last second before is
// there, and verifies, also beside what the next process writes.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for round, life := range []time.Duration{2500 * time.Millisecond, 3100 * time.Millisecond, 300 * time.Millisecond} {
		last := runChild(t, path, life)
		f, err := audit.ViewFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ids := kept(t, f)
		s, err := f.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Roster.Generation > int64(round+1) {
			t.Errorf("round %d: %d chains", round, len(s.Chains))
		}
		// Each child counts from 0; this one's are the last.
		if begin := lastIndex(ids, "0"); last > 0 && (begin < 0 || len(ids)-begin <= last) {
			t.Errorf("round %d: entry %d was recorded more than the last second before, and of %d since %d it is missing", round, last, len(ids), begin)
		}
	}
}

func lastIndex(ids []string, id string) int {
	slices.Reverse(ids)
	defer slices.Reverse(ids)
	i := slices.Index(ids, id)
	if i < 0 {
		return -1
	}
	return len(ids) - 1 - i
}

// runChild kills a child after that time, and returns the last entry that it recorded
// more than a second before that: a second and as long as a flush may take on a machine
// that is busy.
func runChild(t *testing.T, path string, life time.Duration) (last int) {
	t.Helper()
	const slack = time.Second
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childPath+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var killed time.Time
	var recorded [][2]int64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var i, at int64
		if _, err := fmt.Sscan(lines.Text(), &i, &at); err != nil {
			break // cut by the kill
		}
		recorded = append(recorded, [2]int64{i, at})
		if first := time.UnixMilli(recorded[0][1]); killed.IsZero() && time.Since(first) > life {
			killed = time.Now()
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || killed.IsZero() {
		t.Fatalf("the child ended by itself: %v", err)
	}
	for _, r := range recorded {
		if time.UnixMilli(r[1]).Before(killed.Add(-time.Second - slack)) {
			last = int(r[0])
		}
	}
	return last
}
