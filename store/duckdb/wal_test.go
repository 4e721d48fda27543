//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// entry returns an entry of a log with the given payload.
func entry(payload string) []byte {
	log := binary.LittleEndian.AppendUint64(nil, uint64(len(payload)))
	log = binary.LittleEndian.AppendUint64(log, checksum(payload))
	return append(log, payload...)
}

// randomLog returns a log, and the ends of its entries and commits. The header counts as an entry and as a
// commit.
func randomLog(r *rand.Rand) (log []byte, entries, commits []int) {
	log = []byte{100, 0, walHeader, 101, 0, walVersion, 102, 0, 16}
	for range 16 {
		log = binary.AppendUvarint(log, r.Uint64N(256))
	}
	log = append(log, 103, 0)
	log = append(binary.AppendUvarint(log, r.Uint64N(1000)), 0xff, 0xff)
	entries, commits = []int{len(log)}, []int{len(log)}
	for range r.IntN(5) {
		for range 1 + r.IntN(4) {
			row := make([]byte, r.IntN(300))
			for i := range row {
				row[i] = byte(r.IntN(255)) // never 0xff, which no text contains
			}
			log = append(log, entry("\x64\x00\x1a"+string(row))...)
			entries = append(entries, len(log))
		}
		log = append(log, entry(commitPayload)...)
		entries, commits = append(entries, len(log)), append(commits, len(log))
	}
	return log, entries, commits
}

func walkBytes(t testing.TB, log []byte) walk {
	t.Helper()
	w, err := walkLog(bytes.NewReader(log), int64(len(log)))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// lastUpTo returns the last of ends that is at most at, or 0.
func lastUpTo(ends []int, at int) int {
	last := 0
	for _, end := range ends {
		if end <= at {
			last = end
		}
	}
	return last
}

// TestWalkStopsAtDamage damages logs at random, and compares the result of walkLog with the damage.
func TestWalkStopsAtDamage(t *testing.T) {
	t.Parallel()
	seen := make(map[rest]int)
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 43))
		log, entries, commits := randomLog(r)
		if w := walkBytes(t, log); !w.clean() || !w.known || w.committed != int64(len(log)) {
			t.Fatalf("seed %d: walk of an undamaged log = %+v", seed, w)
		}
		spoilt := bytes.Clone(log)
		switch r.IntN(4) {
		case 0:
			spoilt[r.IntN(len(log))] ^= 1 << r.IntN(8)
		case 1:
			spoilt = spoilt[:r.IntN(len(log)+1)]
		case 2:
			spoilt = append(spoilt, make([]byte, r.IntN(5000))...)
		case 3:
			from := r.IntN(len(log))
			clear(spoilt[from : from+r.IntN(len(log)-from)+1])
		}
		first := 0 // the first different byte
		for first < min(len(log), len(spoilt)) && log[first] == spoilt[first] {
			first++
		}
		w := walkBytes(t, spoilt)
		if first < commits[0] && w.committed > 0 {
			continue // the header has no checksum: if it now names another file, the engine rejects the log
		}
		if len(commits) == 1 && !w.known {
			continue // the log has no commits
		}
		seen[w.rest]++
		committed, stopped := lastUpTo(commits, first), lastUpTo(entries, first)
		mark := entry(commitPayload)[8:]
		later := 0
		for _, end := range commits[1:] {
			if end > stopped && end <= len(spoilt) && bytes.Equal(spoilt[end-len(mark):end], mark) {
				later++
			}
		}
		if !w.known || w.committed != int64(committed) || w.stopped != int64(stopped) || w.later != later ||
			(w.rest == restCommits) != (later > 0) {
			t.Fatalf("seed %d: walk of a log damaged at byte %d = %+v; want %d bytes of commits, %d of entries and %d later commits", seed, first, w, committed, stopped, later)
		}
		if left := spoilt[stopped:]; w.rest == restZeros && len(bytes.Trim(left, "\x00")) > 0 {
			t.Fatalf("seed %d: rest is zeros, but the bytes are %x", seed, left)
		}
		if again := walkBytes(t, spoilt[:w.committed]); w.committed > 0 && !again.clean() {
			t.Fatalf("seed %d: walk of the cut log = %+v, want a clean one", seed, again)
		}
	}
	for _, kind := range []rest{restNothing, restZeros, restTorn, restDamaged, restCommits} {
		if seen[kind] < 100 {
			t.Errorf("the rest %q occurred %d times, want at least 100", kind, seen[kind])
		}
	}
}

// FuzzWalkLog checks the bounds of a walk, and that the cut log is clean.
func FuzzWalkLog(f *testing.F) {
	log, _, _ := randomLog(rand.New(rand.NewPCG(1, 2)))
	f.Add(log)
	f.Add(log[:50])
	f.Add([]byte{100, 0, walHeader, 101, 0, 9, 0xff, 0xff, 1, 2, 3})
	f.Fuzz(func(t *testing.T, log []byte) {
		w := walkBytes(t, log)
		if w.committed < 0 || w.committed > w.stopped || w.stopped > int64(len(log)) || w.size != int64(len(log)) {
			t.Fatalf("walk = %+v for %d bytes", w, len(log))
		}
		if again := walkBytes(t, log[:w.committed]); w.committed > 0 && !again.clean() {
			t.Fatalf("walk = %+v; after the cut %+v, want a clean one", w, again)
		}
	})
}

// TestEngineWritesKnownFormats fails if the linked engine writes logs or files in another format.
func TestEngineWritesKnownFormats(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	w := walkBytes(t, log)
	l, known, err := readLayout(bytes.NewReader(file))
	if !w.known || !w.clean() || w.rest != restNothing {
		t.Errorf("walk of a log of the linked engine = %+v", w)
	}
	if err != nil || !known || l.id != w.owner || l.id == (fileID{}) {
		t.Errorf("layout of a file of the linked engine = %+v, %t, %v; its log has the file id %x", l, known, err,
			w.owner)
	}
	// A damaged length must not hide the later commits.
	for at := int64(0); at < w.size; {
		n, _, err := readEntry(bytes.NewReader(log), at, w.size)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			at++ // inside the header
			continue
		}
		for i := range 8 {
			if bad := walkBytes(t, spoil(log, int(at)+i, 1)); bad.rest != restCommits || bad.stopped != at {
				t.Errorf("walk with damage in byte %d of the length at %d = %+v", i, at, bad)
			}
		}
		at += n
	}
	// A damaged version must not hide them, either.
	if bad := walkBytes(t, spoil(log, 5, 1)); bad.rest != restCommits {
		t.Errorf("walk with a damaged version = %+v", bad)
	}
	newer := append([]byte{100, 0, walHeader, 101, 0, 9, 104, 0, 1, 0xff, 0xff},
		bytes.Repeat([]byte("another format"), 99)...)
	if w := walkBytes(t, newer); w.known || !w.clean() {
		t.Errorf("walk of a log of a newer engine = %+v", w)
	}
}

// opened opens a store with a file and a log twice. It expects a number of events, and that the logger received
// a line with each of texts, or nothing without any.
func opened(t *testing.T, file, log []byte, events int64, texts ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.duckdb")
	put(t, path, file)
	put(t, path+".wal", log)
	var lines strings.Builder
	s := open(t, Config{Path: path, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	countEvents(t, s, events)
	for _, want := range texts {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("the logger received no line with %q: %s", want, lines.String())
		}
	}
	if len(texts) == 0 && lines.Len() > 0 {
		t.Errorf("the logger received %s, want nothing", lines.String())
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := open(t, Config{Path: path})
	countEvents(t, again, events)
	return path
}

func TestIncompleteLogIsCut(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	opened(t, file, log, 1500)
	for _, n := range []int{1, 16, 512, 4096} {
		opened(t, file, slices.Concat(log, make([]byte, n)), 1500, "level=WARN", "found=zeros", "log=")
	}
	opened(t, file, log[:len(log)-100], 1000, "level=WARN", "entries=")
	opened(t, file, log[:10], 500, "level=WARN")
	opened(t, file, log[:20], 500, "level=WARN") // cuts the file id
	header, _, _, err := readWalHeader(bytes.NewReader(log), int64(len(log)))
	if err != nil || header == 0 {
		t.Fatal(header, err)
	}
	opened(t, file, log[:header], 500) // the process ended before the first commit
}

func TestDamagedLastCommitIsCopied(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	bad := spoil(log, len(log)-2, 1) // in the last commit
	path := opened(t, file, bad, 1000, "level=ERROR", "entries=6", "copy=")
	copies, err := filepath.Glob(path + ".wal.*")
	if err != nil || len(copies) != 1 || !bytes.Equal(read(t, copies[0]), bad) {
		t.Errorf("copies of the log: %v, %v; want one that equals the log", copies, err)
	}
	if _, err := time.Parse("20060102T150405Z", strings.TrimPrefix(copies[0], path+".wal.")); err != nil {
		t.Error(err)
	}
}

// TestAdviceOfAnErrorWorks runs the command that the error of a damaged log suggests.
func TestAdviceOfAnErrorWorks(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	path := filepath.Join(t.TempDir(), "s.duckdb")
	put(t, path, file)
	second := bytes.Index(log, entry(commitPayload)) + len(entry(commitPayload))
	put(t, path+".wal", spoil(log, second+1, 1)) // a length
	_, err := Open(t.Context(), Config{Path: path})
	_, advice, _ := strings.Cut(err.Error(), "truncate -s ")
	size, name, _ := strings.Cut(advice, " ")
	if name, _, _ = strings.Cut(name, " "); name != path+".wal" || !strings.Contains(err.Error(), "1 commits") {
		t.Fatalf("Open: %v, want an error about 1 commits with a truncate command", err)
	}
	refuse(t, path, store.ErrCorrupt)
	if out, err := exec.CommandContext(t.Context(), "truncate", "-s", size, path+".wal").CombinedOutput(); err != nil {
		t.Skipf("truncate: %v: %s", err, out)
	}
	countEvents(t, open(t, Config{Path: path}), 1000)
}

// TestSwappedWordsAreDetected damages an entry so that its checksum stays correct.
func TestSwappedWordsAreDetected(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	second := bytes.Index(log, entry(commitPayload)) + len(entry(commitPayload))
	for name, from := range map[string]int{"the first commit": 0, "the second commit": second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := int64(from)
			for n := int64(0); n < 20_000; at += max(n, 1) { // find the entry with the rows
				n, _, _ = readEntry(bytes.NewReader(log), at, int64(len(log)))
				if n >= 20_000 {
					break
				}
			}
			bad := bytes.Clone(log)
			rows := bad[at+entryHead:]
			for i := range 800 {
				rows[i], rows[8000+i] = rows[8000+i], rows[i]
			}
			if w := walkBytes(t, bad); !w.clean() {
				t.Fatalf("walk = %+v; the checksum must stay correct", w)
			}
			path := filepath.Join(t.TempDir(), "s.duckdb")
			put(t, path, file)
			put(t, path+".wal", bad)
			refuse(t, path, store.ErrCorrupt)
			err := os.Truncate(path+".wal", int64(from))
			if err != nil {
				t.Fatal(err)
			}
			countEvents(t, open(t, Config{Path: path}), map[bool]int64{true: 500, false: 1000}[from == 0])
		})
	}
}

func TestDamagedBlockAtOpenChangesNothing(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	for _, c := range []struct {
		name string
		file []byte
	}{
		{"a byte", spoil(file, 300_000, 1)},
		{"half of it", file[:len(file)/2]},
		{"a block of zeros", slices.Concat(file[:firstBlock+262144], make([]byte, 262144), file[firstBlock+2*262144:])},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.duckdb")
			put(t, path, c.file)
			put(t, path+".wal", log)
			refuse(t, path, store.ErrCorrupt)
		})
	}
}

// TestOpenDoesNotSpill opens a file with a log whose rows need more memory than Open uses. Open must not write
// them to disk, because that space is needed to move the log into the file.
func TestOpenDoesNotSpill(t *testing.T) {
	t.Parallel()
	from := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: from})
	for n := range 60 {
		b := &store.Batch{}
		for i := range 500 {
			e := batch(fmt.Sprintf("%d-", n), 1).Events[0]
			e.ID, e.Properties = fmt.Sprintf("%d-%d", n, i), fmt.Sprintf(`{"noise":"%x"}`, rand.Uint64())
			b.Events = append(b.Events, e)
		}
		mustWrite(t, s, b)
	}
	path := filepath.Join(t.TempDir(), "s.duckdb")
	put(t, path, read(t, from))
	put(t, path+".wal", read(t, from+".wal"))
	countEvents(t, open(t, Config{Path: path}), 30_000)
	spilled := int64(0)
	err := filepath.WalkDir(path+".tmp", func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the directory exists only while it has data
		}
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			spilled += info.Size()
		}
		return err
	})
	if err != nil || spilled > 0 {
		t.Errorf("Open wrote %d bytes of temporary files, want none; %v", spilled, err)
	}
}
