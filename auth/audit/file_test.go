package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// written makes a log of n entries in two chains, one of them pruned, and closes it.
func written(t testing.TB, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.jsonl")
	for chain := range 2 {
		f, err := audit.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, audit.Config{Log: f})
		record(t, w, chain*n, chain*n+n)
		closeWriter(t, w)
		if chain == 1 {
			if _, err := audit.Prune(t.Context(), f, pepper, entry(1).Time); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func verifyFile(t testing.TB, path string) audit.Report {
	t.Helper()
	f, err := audit.ViewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Verify(t.Context(), f, pepper)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryByteCounts flips each byte of a log, in turn, removes it, and cuts the log there.
func TestEveryByteCounts(t *testing.T) {
	path := written(t, 2)
	for _, name := range []string{path, path + ".heads"} {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1 << (i % 8)
			for what, text := range map[string][]byte{
				"changed": flipped, "removed": slices.Delete(bytes.Clone(whole), i, i+1), "the end": whole[:i],
			} {
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
				r := verifyFile(t, path)
				writer, seq := entryAt(whole, i)
				named := func(p audit.Problem) bool { return p.Writer == writer && p.Seq <= seq && seq <= p.Last }
				if r.Err() == nil || name == path && seq > 0 && !slices.ContainsFunc(r.Problems, named) {
					t.Fatalf("%s: byte %d of %d, in entry %d: %s: the report says %v of\n%s", filepath.Base(name), i, len(whole), seq, what, r.Problems, text)
				}
			}
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := verifyFile(t, path).Err(); err != nil {
		t.Errorf("with everything as it was: %v", err)
	}
}

// entryAt is the entry whose line holds byte i; 0 for a cut.
func entryAt(text []byte, i int) (writer string, seq int64) {
	line := text[bytes.LastIndexByte(text[:i], '\n')+1:]
	line = line[:bytes.IndexByte(line, '\n')]
	parts := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(`{":,}`, r) })
	if parts[0] == "writer" && parts[2] == "seq" {
		_, _ = fmt.Sscan(parts[3], &seq)
	}
	return parts[1], seq
}

func TestLinesMovedOrRemoved(t *testing.T) {
	path := written(t, 5)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		for j := range lines {
			moved := slices.Clone(lines)
			line := moved[i]
			moved = slices.Insert(slices.Delete(moved, i, i+1), j, line)
			if err := os.WriteFile(path, bytes.Join(moved, nil), 0o600); err != nil {
				t.Fatal(err)
			}
			// Two chains may lie in one file in any order, so a line may move within the
			// other's without a change of the trail: then nothing is to be found.
			r := verifyFile(t, path)
			if same := chainsOf(lines) == chainsOf(moved); same != (r.Err() == nil) {
				t.Errorf("line %d moved to %d: %v", i+1, j+1, r.Problems)
			}
		}
		if err := os.WriteFile(path, bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil), 0o600); err != nil {
			t.Fatal(err)
		}
		if verifyFile(t, path).Err() == nil {
			t.Errorf("line %d removed: nothing is found", i+1)
		}
	}
}

// chainsOf is what lines say, chain by chain; cuts count only before all entries.
func chainsOf(lines [][]byte) string {
	chains := map[string]string{}
	begun := false
	for _, line := range lines {
		_, writer, _ := strings.Cut(string(line), `"writer":"`)
		writer, _, _ = strings.Cut(writer, `"`)
		cut := bytes.HasPrefix(line, []byte(`{"cut"`))
		begun = begun || !cut
		if cut && begun {
			return "a cut after an entry"
		}
		chains[writer] += string(line)
	}
	return fmt.Sprint(chains)
}

func TestATornLineIsRemoved(t *testing.T) {
	path := written(t, 3)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := whole[bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1:]
	for _, torn := range []string{"{", string(last[:len(last)-1]), strings.Repeat("x", 9000)} {
		if err := os.WriteFile(path, append(bytes.Clone(whole), torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := verifyFile(t, path).Err(); err != nil {
			t.Errorf("with a torn line: %v", err)
		}
		f := openFile(t, path)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("the torn line stayed: %q, %v", got, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileIsForOneWriter(t *testing.T) {
	path := written(t, 1)
	f := openFile(t, path)
	if _, err := audit.OpenFile(path); !errors.Is(err, audit.ErrConflict) {
		t.Errorf("a second writer: %v", err)
	}
	view, err := audit.ViewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Append": view.Append(t.Context(), audit.Mark{}, nil), "Cut": view.Cut(t.Context(), nil),
		"Enrol": view.Enrol(t.Context(), audit.Roster{}, audit.Mark{}), "Drop": view.Drop(t.Context(), audit.Roster{}, nil),
	} {
		if !errors.Is(err, audit.ErrReadOnly) {
			t.Errorf("%s of a file for reading: %v", what, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	openFile(t, path)
	if _, err := audit.ViewFile(path + ".none"); err == nil {
		t.Error("a file that is not there can be read")
	}
	if _, err := audit.OpenFile(filepath.Join(path, "x")); err == nil {
		t.Error("a file in a folder that is none was made")
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	path := written(t, 2)
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v: want lines, heads and lock", files, err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", filepath.Base(name), info.Mode(), err)
		}
	}
}

// TestFileWhoseHeadsFail has lines that are there without their head: they are not
// written twice.
func TestFileWhoseHeadsFail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f := openFile(t, path)
	w := newWriter(t, audit.Config{Log: f, Every: time.Hour})
	record(t, w, 0, 2)
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	heads, err := os.ReadFile(path + ".heads")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path+".heads"), os.MkdirAll(path+".heads/x", 0o700)); err != nil {
		t.Fatal(err)
	}
	record(t, w, 2, 4)
	if err := w.Flush(t.Context()); err == nil {
		t.Fatal("a head was kept where there is a folder")
	}
	if err := errors.Join(os.RemoveAll(path+".heads"), os.WriteFile(path+".heads", heads, 0o600)); err != nil {
		t.Fatal(err)
	}
	expectKept(t, f, 4) // beyond the head, and whole: a crash leaves it so
	record(t, w, 4, 5)
	closeWriter(t, w)
	expectKept(t, f, 5)
	if left, err := filepath.Glob(path + "*new*"); err != nil || len(left) > 0 {
		t.Errorf("files left over: %v, %v", left, err)
	}
}

// TestACrashWhileAFileIsReplaced has half of a new one left beside each.
func TestACrashWhileAFileIsReplaced(t *testing.T) {
	path := written(t, 3)
	for _, name := range []string{path + ".new", path + ".heads.new"} {
		if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := openFile(t, path)
	w := newWriter(t, audit.Config{Log: f})
	record(t, w, 6, 8)
	closeWriter(t, w)
	if p, err := audit.Prune(t.Context(), f, pepper, entry(2).Time); err != nil || p.Entries != 1 {
		t.Errorf("pruned %+v, %v", p, err)
	}
	if ids := kept(t, f); len(ids) != 6 {
		t.Errorf("the log has %v", ids)
	}
	if left, err := filepath.Glob(path + "*new*"); err != nil || len(left) > 0 {
		t.Errorf("files left over: %v, %v", left, err)
	}
}

// TestAppendLine holds the line that is written by hand against encoding/json.
func TestAppendLine(t *testing.T) {
	for _, text := range []string{"", "plain ~ text", `"quoted" \`, "ü🙂\u2028", "\x00\x01\x1f\x7f\n", "<&>", "\xff"} {
		r := audit.Record{Writer: text, Seq: -5, Entry: auth.Entry{
			Time: time.UnixMilli(1_795_000_000_120), RequestID: text + "1", KeyID: text + "2", Start: text + "3", Owner: text + "4",
			Method: text + "5", Route: text + "6", Resource: auth.Resource{Kind: text + "7", ID: text + "8", Owner: text + "9"},
			Scope: auth.Scope(text + "10"), Outcome: text + "11", Status: 404, IP: text + "12", UserAgent: text + "13",
		}}
		want, err := audit.Line(r)
		if got := audit.AppendLine([]byte("x"), r); err != nil || string(got) != "x"+string(want) {
			t.Errorf("%q is written as\n%s\nwant\n%s", text, got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	text, err := os.ReadFile(written(f, 3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte("\n\n{}\nnull\n{\"cut\":{}}\n{\"writer\":\"a\",\"writer\":\"b\"}\n"))
	f.Add(bytes.Repeat([]byte("x"), 200_000))
	f.Add(bytes.ReplaceAll(text, []byte("seq"), []byte("Seq")))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := audit.Reread(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		whole := bytes.SplitAfter(text, []byte("\n"))
		if len(lines) != len(whole)-1 {
			t.Fatalf("%d of %d lines", len(lines), len(whole)-1)
		}
		for i, line := range lines {
			if line != nil && !bytes.Equal(line, whole[i]) {
				t.Fatalf("line %q was read as %q", whole[i], line)
			}
		}
	})
}
