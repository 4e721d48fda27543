package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

func openFile(t testing.TB, path string) *audit.File {
	t.Helper()
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFileConforms(t *testing.T) {
	authtest.RunLog(t, func(t *testing.T) authtest.LogBench {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		f := openFile(t, path)
		return authtest.LogBench{Log: f, Trail: audit.Segments{path}, Again: func(t *testing.T) audit.Log {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return openFile(t, path)
		}}
	})
}

// rotated makes a log of two chains. The older file has three entries of the first chain and two of the
// second; the newer file has the next two. It returns both files.
func rotated(t testing.TB) audit.Segments {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f := openFile(t, path)
	w, other := newWriter(t, audit.Config{Log: f, Every: time.Hour}), newWriter(t, audit.Config{Log: f, Every: time.Hour})
	record(t, w, 0, 3)
	err := w.Flush(t.Context())
	record(t, other, 3, 5)
	closeWriter(t, other)
	if err := errors.Join(err, os.Rename(path, path+".1")); err != nil {
		t.Fatal(err)
	}
	record(t, w, 5, 7)
	closeWriter(t, w)
	return audit.Segments{path + ".1", path}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRotatedFile(t *testing.T) {
	files := rotated(t)
	expectKept(t, files, 7)
	if ids := kept(t, files[1:]); fmt.Sprint(ids) != "[5 6]" { // the older file may be missing
		t.Errorf("the newer file has %v", ids)
	}
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", filepath.Base(path), info.Mode(), err)
		}
	}
}

// TestEveryByteCounts flips each byte of the newer file, in turn.
func TestEveryByteCounts(t *testing.T) {
	files := rotated(t)
	whole := read(t, files[1])
	for i := range whole[:len(whole)-1] { // without its line end the last line is incomplete
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		write(t, files[1], flipped)
		if verify(t, files).Err() == nil {
			t.Errorf("byte %d of %d changed: %s", i, len(whole), flipped)
		}
	}
}

// TestLimitsOfFiles checks the documented limit of files: only a known head reveals that the end
// of a chain or the whole chain is missing.
func TestLimitsOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var heads []audit.Checkpoint
	w := newWriter(t, audit.Config{Log: openFile(t, path), OnHead: func(c audit.Checkpoint) { heads = append(heads, c) }})
	record(t, w, 0, 3)
	closeWriter(t, w)
	whole := read(t, path)
	for what, text := range map[string][]byte{"the end": whole[:bytes.IndexByte(whole, '\n')+1], "everything": nil} {
		write(t, path, text)
		if err := verify(t, audit.Segments{path}).Err(); err != nil {
			t.Errorf("%s removed, without a known head: %v", what, err)
		}
		if verify(t, audit.Segments{path}, heads...).Err() == nil {
			t.Errorf("%s removed, with a known head: no problem reported", what)
		}
	}
}

func TestSegmentsInAnotherOrder(t *testing.T) {
	files := rotated(t)
	if verify(t, audit.Segments{files[1], files[0]}).Err() == nil {
		t.Error("files in the wrong order: no problem reported")
	}
	if _, err := audit.Verify(t.Context(), audit.Segments{files[0] + ".none"}, pepper); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestATornLineIsRemoved(t *testing.T) {
	path := rotated(t)[1]
	whole := read(t, path)
	last := whole[bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1:]
	for _, torn := range []string{"{", string(last[:len(last)-1]), strings.Repeat("x", 9000)} {
		write(t, path, append(bytes.Clone(whole), torn...))
		if err := verify(t, audit.Segments{path}).Err(); err != nil {
			t.Errorf("with a torn line: %v", err)
		}
		if err := openFile(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); !bytes.Equal(got, whole) {
			t.Errorf("the torn line stayed: %q", got)
		}
	}
}

// TestFileThatCannotBeReplaced checks that entries stay in memory while the folder is missing, and that
// each is written once.
func TestFileThatCannotBeReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	path := filepath.Join(dir, "audit.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := newWriter(t, audit.Config{Log: openFile(t, path), Every: time.Hour})
	record(t, w, 0, 2)
	err := w.Flush(t.Context())
	if err := errors.Join(err, os.Rename(dir, dir+".old")); err != nil {
		t.Fatal(err)
	}
	record(t, w, 2, 4)
	if err := w.Flush(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	closeWriter(t, w)
	expectKept(t, audit.Segments{filepath.Join(dir+".old", "audit.jsonl"), path}, 4)
}

// FuzzLines checks that an accepted line is written again as the same bytes.
func FuzzLines(f *testing.F) {
	text := read(f, rotated(f)[0])
	f.Add(text[:bytes.IndexByte(text, '\n')+1])
	f.Add([]byte("{\"writer\":\"a\",\"writer\":\"b\"}\n"))
	f.Add(bytes.ReplaceAll(text[:bytes.IndexByte(text, '\n')+1], []byte("seq"), []byte("Seq")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := audit.ParseLine(text); err == nil && !bytes.Equal(audit.AppendLine(nil, r), text) {
			t.Fatalf("%q was read as %+v", text, r)
		}
	})
}

// FuzzTexts checks that a record with any texts is written and read again unchanged.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\"b\\c\n\t\x7f", "<&>", "ü😀\u2028", "\uFFFD"} {
		f.Add(seed, 0)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = strings.ToValidUTF8(s, "")
		want := audit.Record{Writer: s, Seq: int64(n), Entry: auth.Entry{Time: time.UnixMilli(1_795_000_000_123).UTC(), RequestID: s, KeyID: s, Start: s, Owner: s,
			Method: s, Route: s, Resource: auth.Resource{Kind: s, ID: s, Owner: s}, Scope: auth.Scope(s), Outcome: s, Status: n, IP: s, UserAgent: s, Token: s, Subject: s, Count: n}}
		if got, err := audit.ParseLine(audit.AppendLine(nil, want)); err != nil || got != want {
			t.Fatalf("%+v was read as %+v: %v", want, got, err)
		}
	})
}
