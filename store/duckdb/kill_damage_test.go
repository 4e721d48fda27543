//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// startDamaged is a child process that opens a store, which may end the process. It prints the lines of its
// logger, the batches that it finds, and how it ended.
func startDamaged(path string) int {
	s, err := Open(context.Background(), Config{Path: path, Logger: slog.New(slog.NewTextHandler(os.Stdout, nil))})
	if errors.Is(err, store.ErrCorrupt) {
		fmt.Printf("refused: %q\n", err)
		return 0
	}
	if err != nil {
		return complain(err)
	}
	rows, err := s.Query(context.Background(), store.Statement{
		SQL:   "SELECT split_part(event_id, '/', 1) || '/' AS p, max(length(path || browser_name || os_name)) AS n FROM events GROUP BY p",
		Kinds: []dialect.Kind{dialect.Text, dialect.Int},
	})
	if err != nil {
		fmt.Printf("read: %q\n", err)
	} else {
		for _, prefix := range rows.Columns[0].Texts {
			fmt.Println("found", prefix)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		return complain(err)
	}
	fmt.Println("closed")
	return 0
}

// A wreck has the file and the log of a killed process, and the batches that it acknowledged.
type wreck struct {
	file, log []byte
	answered  []string       // acknowledged batches
	inLog     map[string]int // positions in the log of the last rows of batches
	commits   []int          // ends of commits in the log
}

func newWreck(t *testing.T) wreck {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	w := wreck{inLog: make(map[string]int)}
	for round := range 2 {
		lines, kill := startChild(t, "write", path)
		for more := 80; lines.Scan(); more-- {
			if strings.HasSuffix(lines.Text(), "/") {
				w.answered = append(w.answered, lines.Text())
			}
			if more == 0 {
				kill()
			}
		}
		if round == 0 { // moves the rows of the first process into the file
			if err := open(t, Config{Path: path}).Close(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.file, w.log = read(t, path), read(t, path+".wal")
	for _, prefix := range w.answered {
		if at := bytes.LastIndex(w.log, []byte(prefix)); at >= 0 {
			w.inLog[prefix] = at
		}
	}
	mark := entry(commitPayload)
	for at := 0; ; {
		next := bytes.Index(w.log[at:], mark)
		if next < 0 {
			break
		}
		at += next + len(mark)
		w.commits = append(w.commits, at)
	}
	if len(w.inLog) < 40 || len(w.inLog) == len(w.answered) {
		t.Fatalf("%d of %d batches are in the log, want at least 40 but not all", len(w.inLog), len(w.answered))
	}
	return w
}

// swappedBlocks is damage without a wrong checksum. The engine finds it while it opens the file, and may end
// the process.
const swappedBlocks = "swapped blocks"

// damage returns a damaged copy of the file and the log, and the kind of damage.
func (w wreck) damage(r *rand.Rand) (file, log []byte, did string) {
	file, log = bytes.Clone(w.file), bytes.Clone(w.log)
	part, name := &log, "log"
	if r.IntN(2) == 0 {
		part, name = &file, "file"
	}
	at := r.IntN(len(*part))
	n := 1 + r.IntN(min(len(*part)-at, 1<<(1+r.IntN(19))))
	switch kind := r.IntN(6); {
	case kind == 0:
		bit := r.IntN(8)
		(*part)[at] ^= 1 << bit
		return file, log, fmt.Sprintf("bit of the %s", name)
	case kind == 1:
		for slices.Contains(w.commits, at) && name == "log" {
			at-- // a cut between two commits cannot be detected
		}
		*part = (*part)[:at]
		return file, log, fmt.Sprintf("cut of the %s", name)
	case kind == 2:
		clear((*part)[at : at+n])
		return file, log, fmt.Sprintf("zeros in the %s", name)
	case kind == 3 && name == "log":
		log = append(log, make([]byte, n)...)
		return file, log, "zeros after the log"
	case kind == 3:
		at = firstBlock + r.IntN((len(file)-firstBlock)/262144)*262144
		copy(file[at:at+262144], make([]byte, 262144))
		return file, log, "a block of zeros"
	case kind == 4: // swap two blocks with correct checksums
		block := func(i int) []byte { return file[firstBlock+i*262144:][:262144] }
		a, b := r.IntN((len(file)-firstBlock)/262144), r.IntN((len(file)-firstBlock)/262144)
		saved := bytes.Clone(block(a))
		copy(block(a), block(b))
		copy(block(b), saved)
		return file, log, swappedBlocks
	default: // swap two pieces of 4096 bytes, the size of a sector
		other := r.IntN(len(*part)/4096) * 4096
		at = r.IntN(len(*part)/4096) * 4096
		for i := range 4096 {
			(*part)[at+i], (*part)[other+i] = (*part)[other+i], (*part)[at+i]
		}
		return file, log, fmt.Sprintf("swapped pieces of the %s", name)
	}
}

// TestDamage damages the file and the log of a killed process at random, SIGHTLINE_LONG times. Each start must
// find all acknowledged batches, or report that some are missing and lose nothing more.
func TestDamage(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	w := newWreck(t)
	outcomes := make(map[string]int)
	for seed := range uint64(storetest.Number(t, "SIGHTLINE_LONG", 8)) {
		file, log, did := w.damage(rand.New(rand.NewPCG(seed, 9)))
		outcome := w.start(t, file, log, fmt.Sprintf("damage %d, %s", seed, did))
		outcomes[did+": "+outcome]++
		outcomes["all: "+outcome]++
	}
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%3d %s", outcomes[name], name)
	}
}

// start starts a store twice on a damaged file and log, and returns the outcome.
func (w wreck) start(t *testing.T, file, log []byte, did string) (outcome string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.duckdb")
	put(t, path, file)
	put(t, path+".wal", log)
	end, found, said := startOn(t, path)
	if end != "closed" {
		if now := contents(t, dir); now["s.duckdb"] != string(file) || now["s.duckdb.wal"] != string(log) {
			t.Errorf("%s: the file or the log changed, although the start ended with %q", did, end)
		}
		if strings.HasPrefix(end, "refused: ") {
			return "rejected, nothing changed"
		}
		if !strings.HasSuffix(did, swappedBlocks) {
			t.Errorf("%s: the start ended with %q after %s", did, end, said)
		}
		return "ended by the engine, nothing changed"
	}
	first := 0
	for first < min(len(log), len(w.log)) && log[first] == w.log[first] {
		first++
	}
	intact := lastUpTo(w.commits, first)
	missing := 0
	for _, prefix := range w.answered {
		if found[prefix] {
			continue
		}
		missing++
		if at, logged := w.inLog[prefix]; !logged || at < intact {
			t.Errorf("%s: batch %s is lost, although it is before the damage", did, prefix)
		}
	}
	if missing > 0 && !strings.Contains(said, "was cut") {
		t.Errorf("%s: %d batches are missing without a report: %s", did, missing, said)
	}
	if end, again, _ := startOn(t, path); end != "closed" || !maps.Equal(found, again) {
		t.Errorf("%s: the second start found %d batches and ended with %q, want %d batches and closed", did, len(again),
			end, len(found))
	}
	if missing > 0 {
		return "started, reported that the last commits are missing"
	}
	return "started, everything is there"
}

// startOn runs startDamaged at path. It returns the last line, the batches that were found, and the other
// lines.
func startOn(t *testing.T, path string) (end string, found map[string]bool, said string) {
	t.Helper()
	lines, _ := startChild(t, "damaged", path)
	found = make(map[string]bool)
	for lines.Scan() {
		end = lines.Text()
		if prefix, ok := strings.CutPrefix(end, "found "); ok {
			found[prefix] = true
		} else {
			said += end + "\n"
		}
	}
	return end, found, said
}
