//go:build cgo

package duckdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// This file checks the write-ahead log before the engine replays it.
//
// The engine replays the log up to the first entry that it cannot read. It reports an entry with a wrong
// checksum. But it takes an entry with a wrong length for the end of the log, and drops the rest without an
// error. Therefore Open reads through the log first.
//
// A log of version 2 has a header and entries. An entry has a length, a checksum (both uint64) and a payload.
// Each commit ends with the same entry, commitMark. Entries after the last commitMark were never acknowledged.

// walVersion is the version of the logs that the linked engine writes.
const walVersion = 2

// The kinds of entries that walkLog uses. The kind is the third byte of a payload.
const (
	walHeader = 98
	// also ends a commit; without it, the log of a finished checkpoint would look like another file's log
	walCheckpoint = 99
)

// commitMark is the entry that ends a commit, without its length. So it can also be found if its length is
// damaged.
var commitMark = binary.LittleEndian.AppendUint64(nil, checksum(commitPayload))

// commitPayload is the payload of the entry that ends a commit. It is not valid UTF-8, so no text of a row
// contains it.
const commitPayload = "\x64\x00\x64\xff\xff"

// A walk describes which part of a log can be replayed.
type walk struct {
	known     bool    // whether the log has a known version
	owner     fileID  // the file that the log belongs to
	size      int64   // bytes of the log
	committed int64   // end of the last commit that can be replayed
	loose     int     // complete entries after committed
	stopped   int64   // size, or the start of the first entry that cannot be read
	rest      rest    // what follows from stopped on
	later     int     // number of commits that end after stopped
	commits   []int64 // ends of the commits up to committed
	obsolete  bool    // whether a checkpoint was begun, so the engine may not need the log
}

// A rest describes the bytes of a log from walk.stopped on.
type rest string

const (
	restNothing rest = "nothing"
	restZeros   rest = "zeros"
	restTorn    rest = "an incomplete entry"
	restDamaged rest = "a damaged entry"
	restCommits rest = "a damaged entry, and commits after it"
	restUnread  rest = "a damaged entry with a correct checksum"
)

// units has the bytes of the units that the engine uses for sizes.
var units = map[string]float64{"byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// compare compares an undamaged log with the size that the engine replayed, which is rounded to a tenth of a
// unit. It detects swapped words in an entry: the checksum of the entry stays the same, but the engine may take
// the entry for the end of the log. In that case compare sets w.committed to the end of the last replayed
// commit. Of a log without commits nothing can be lost.
func (w *walk) compare(replayed string) {
	number, unit, _ := strings.Cut(replayed, " ")
	n, err := strconv.ParseFloat(number, 64)
	size := units[unit]
	fits := func(end int64) bool { return math.Abs(n*size-float64(end)) <= size/9 }
	if err != nil || size == 0 || w.obsolete || !w.known || len(w.commits) == 0 || fits(w.committed) {
		return
	}
	w.later, w.committed = len(w.commits), 0
	for i, end := range w.commits {
		if fits(end) {
			w.later, w.committed = len(w.commits)-i-1, end
			break
		}
	}
	w.stopped, w.rest = w.committed, restUnread
}

// clean reports whether the engine will replay the whole log.
func (w walk) clean() bool { return !w.known || w.committed == w.size }

// inspectLog checks the log at path. It returns an empty walk if the log does not exist. It does not check a log if
// the engine has written a second one: that happens only with commits during a checkpoint, which this store
// prevents.
func inspectLog(path string) (walk, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return walk{}, nil
	}
	if err != nil {
		return walk{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return walk{}, err
	}
	switch _, err := os.Stat(path + ".checkpoint"); {
	case err == nil:
		return walk{size: info.Size()}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return walk{}, err
	}
	return walkLog(f, info.Size())
}

// walkLog checks a log of size bytes.
func walkLog(log io.ReaderAt, size int64) (walk, error) {
	w := walk{known: true, size: size}
	end, version, owner, err := readWalHeader(log, size)
	if err != nil {
		return w, err
	}
	w.owner = owner
	if end > 0 && version != walVersion {
		// A single damaged byte can change the version. In that case the log still has commits in the known
		// format.
		_, marks, err := survey(io.NewSectionReader(log, 0, size))
		if err != nil || marks == 0 && version > walVersion {
			return walk{size: size}, err
		}
		end = 0
	}
	w.committed, w.stopped = end, end
	for end > 0 && w.stopped < size {
		n, kind, err := readEntry(log, w.stopped, size)
		if err != nil {
			return w, err
		}
		if n == 0 {
			break
		}
		w.stopped += n
		w.loose++
		if kind == commitPayload[2] || kind == walCheckpoint {
			w.committed, w.loose = w.stopped, 0
			w.commits = append(w.commits, w.stopped)
			w.obsolete = w.obsolete || kind == walCheckpoint
		}
	}
	return w, w.classify(log)
}

// classify finds out what follows from w.stopped on.
func (w *walk) classify(log io.ReaderAt) error {
	tail := io.NewSectionReader(log, w.stopped, w.size-w.stopped)
	zeros, later, err := survey(tail)
	w.later = later
	var head [8]byte
	if err == nil && tail.Size() >= int64(len(head)) {
		_, err = tail.ReadAt(head[:], 0)
	}
	switch left := uint64(tail.Size()); {
	case left == 0:
		w.rest = restNothing
	case later > 0:
		w.rest = restCommits
	case zeros:
		w.rest = restZeros
	case left < entryHead || w.stopped == 0 || binary.LittleEndian.Uint64(head[:]) > left-entryHead:
		w.rest = restTorn
	default:
		w.rest = restDamaged
	}
	return err
}

// survey reports whether tail has only zeros, and counts the commits that end in it.
func survey(tail *io.SectionReader) (zeros bool, marks int, err error) {
	zeros = true
	mark := append(bytes.Clone(commitMark), commitPayload...)
	overlap := len(mark) - 1
	buf := make([]byte, overlap+int(min(chunk, tail.Size()+1)))
	seen := 0 // bytes at the start of buf that were read before
	for {
		n, err := io.ReadFull(tail, buf[seen:])
		data := buf[:seen+n]
		zeros = zeros && len(bytes.Trim(data, "\x00")) == 0
		marks += bytes.Count(data, mark)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return zeros, marks, nil
		}
		if err != nil {
			return zeros, marks, err
		}
		seen = copy(buf, data[len(data)-overlap:])
	}
}

// readWalHeader returns the end of the header and its values. The end is 0 if the header is damaged or
// incomplete.
func readWalHeader(log io.ReaderAt, size int64) (end int64, version uint64, owner fileID, err error) {
	buf := make([]byte, min(size, 256))
	if _, err := log.ReadAt(buf, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, owner, err
	}
	p := walParser{rest: buf}
	p.expect(100, 0, walHeader, 101, 0)
	version = p.number()
	if version == walVersion {
		p.expect(102, 0, byte(len(owner)))
		for i := range owner {
			b := p.number()
			owner[i] = byte(b)
			p.failed = p.failed || b > 255
		}
		p.expect(103, 0) // the number of the checkpoint
		p.number()
		p.expect(0xff, 0xff)
	} else if at := bytes.Index(p.rest, []byte{0xff, 0xff}); at >= 0 {
		p.rest = p.rest[at+2:]
	}
	if p.failed {
		return 0, 0, fileID{}, nil
	}
	return int64(len(buf) - len(p.rest)), version, owner, nil
}

// A walParser reads the header of a log.
type walParser struct {
	rest   []byte
	failed bool
}

func (p *walParser) expect(want ...byte) {
	var ok bool
	p.rest, ok = bytes.CutPrefix(p.rest, want)
	p.failed = p.failed || !ok
}

func (p *walParser) number() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.failed = true
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

// entryHead is the size of an entry's length and checksum.
const entryHead = 16

// readEntry returns the length and the kind of the entry at a position. The length is 0 if the entry is damaged
// or incomplete.
func readEntry(log io.ReaderAt, at, size int64) (length int64, kind byte, err error) {
	if size-at < entryHead {
		return 0, 0, nil
	}
	var head [entryHead]byte
	if _, err := log.ReadAt(head[:], at); err != nil {
		return 0, 0, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n < 3 || n > uint64(size-at-entryHead) {
		return 0, 0, nil
	}
	sum, kind, err := sumOf(io.NewSectionReader(log, at+entryHead, int64(n)))
	if err != nil || sum != binary.LittleEndian.Uint64(head[8:]) {
		return 0, 0, err
	}
	return entryHead + int64(n), kind, nil
}

// chunk is the number of bytes that are read from a file at once. It must be a multiple of 8 for sumOf.
const chunk = 256 << 10

// sumOf returns the checksum of a payload and its third byte.
func sumOf(payload *io.SectionReader) (sum uint64, kind byte, err error) {
	sum = checksumStart
	buf := make([]byte, min(payload.Size(), chunk))
	for at := int64(0); at < payload.Size(); {
		n, err := payload.ReadAt(buf[:min(payload.Size()-at, chunk)], at)
		if err != nil && !errors.Is(err, io.EOF) || n == 0 {
			return 0, 0, err
		}
		if at == 0 {
			kind = buf[2]
		}
		sum = addChecksum(sum, buf[:n])
		at += int64(n)
	}
	return sum, kind, nil
}

// repairLog removes entries that were never acknowledged from the end of the log at path, so that the engine
// can replay it to its end. If the removed part may have been acknowledged, repairLog copies the log before. If
// commits cannot be replayed, it makes a copy, leaves the log unchanged and returns an error.
func repairLog(path string, w walk, logger *slog.Logger) error {
	facts := []any{"log", path, "found", string(w.rest), "at", w.stopped, "cut", w.size - w.committed, "entries",
		w.loose}
	switch w.rest {
	case restCommits, restUnread, restDamaged:
		copied, err := copyFile(path, w.size)
		if w.rest != restDamaged {
			return w.refusal(path, copied, err)
		}
		if err != nil {
			return explainOpen(fmt.Errorf("could not copy %s (%d bytes) before repairing it: %w", path, w.size, err))
		}
		facts = append(facts, "copy", copied)
		logger.Error("duckdb: the end of the log is damaged and was cut; events of the last commit may be missing; see docs/operations.md#damage", facts...)
	case restZeros, restTorn, restNothing:
		logger.Warn("duckdb: the log ended in an unfinished commit, which was cut; see docs/operations.md#damage", facts...)
	}
	return explainOpen(cut(path, w.committed))
}

// refusal returns an error for commits that cannot be replayed. It says what the operator can do.
func (w walk) refusal(path, copied string, err error) error {
	saved := "a copy is in " + copied
	if err != nil {
		saved = fmt.Sprintf("no copy could be written (%v)", err)
	}
	return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf(
		"%s is damaged at byte %d, and %d commits from there on cannot be replayed; %s; restore a backup, or give up these commits with: truncate -s %d %s (see docs/operations.md#damage)",
		path, w.stopped, w.later, saved, w.committed, path)}
}

// cut truncates the file at path to size bytes and flushes it to disk.
func cut(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// copyFile copies the file at path to the same directory and returns the name of the copy. The name has the
// time of the last write to the file. So further starts find the copy and do not make another one.
func copyFile(path string, size int64) (name string, err error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return "", err
	}
	dated := path + "." + info.ModTime().UTC().Format("20060102T150405Z")
	for i := 1; ; i++ {
		name = dated
		if i > 1 {
			name = fmt.Sprintf("%s-%d", dated, i)
		}
		to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			same, err := equalFiles(name, from, size)
			if same || err != nil {
				return name, err
			}
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(to, io.NewSectionReader(from, 0, size))
		if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
			return "", errors.Join(err, os.Remove(name))
		}
		syncDir(name)
		return name, nil
	}
}

// equalFiles reports whether the file at path has size bytes, the same as other.
func equalFiles(path string, other io.ReaderAt, size int64) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return false, err
	}
	a, b := make([]byte, chunk), make([]byte, chunk)
	for at := int64(0); at < size; at += chunk {
		n := min(size-at, chunk)
		_, errA := f.ReadAt(a[:n], at)
		_, errB := other.ReadAt(b[:n], at)
		if err := errors.Join(errA, errB); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if !bytes.Equal(a[:n], b[:n]) {
			return false, nil
		}
	}
	return true, nil
}
