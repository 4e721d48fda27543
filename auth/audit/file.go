package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
)

// A File is a Log of JSON lines: an entry is a line, with its chain, number and MAC. Heads
// and roster lie beside it, in a file of the same name and ".heads", which is replaced as
// a whole. Both are made with mode 0600. Only one process writes to a File, and it is
// no [Finder]: for queries there are tools that read lines of JSON.
type File struct {
	path  string
	lock  io.Closer // nil when it was opened for reading
	mu    sync.Mutex
	out   *os.File // at its end
	size  int64    // of what was written whole
	torn  bool     // more than that may be there
	state State    // as it is on disk, or is to be
	last  map[string]Mark
}

var _ Log = (*File)(nil)

// sidecar is what lies beside the lines.
type sidecar struct {
	Roster Roster `json:"roster"`
	Heads  []Mark `json:"heads"`
}

// OpenFile opens the log of that path for writing, in a folder that exists, and makes it
// when it is missing. A last line that a crash cut short is removed. Its error wraps
// [ErrConflict] when another process writes to it (where the system can tell).
func OpenFile(path string) (*File, error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("audit: %s: %w", path, err)
	}
	f := &File{path: path, lock: lock, last: map[string]Mark{}}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("audit: %w", errors.Join(err, f.Close()))
	}
	return f, nil
}

// ViewFile opens the log of that path for reading, beside a process that writes to it:
// State and Scan work, and the other methods return [ErrReadOnly].
func ViewFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return &File{path: path}, nil
}

func (f *File) open() (err error) {
	f.out, err = os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if f.size, err = wholeLines(f.out); err != nil {
		return err
	}
	if err := errors.Join(f.rewind(), syncDir(f.path)); err != nil {
		return err
	}
	f.state, err = f.readState(context.Background())
	return err
}

// wholeLines is the length of r up to its last end of a line.
func wholeLines(r *os.File) (int64, error) {
	at, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 4096)
	for at > 0 {
		n := min(at, int64(len(buf)))
		at -= n
		if _, err := r.ReadAt(buf[:n], at); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return 0, nil
}

// rewind removes what was not written whole.
func (f *File) rewind() error {
	if err := f.out.Truncate(f.size); err != nil {
		return err
	}
	_, err := f.out.Seek(f.size, io.SeekStart)
	f.torn = err != nil
	return err
}

// Close closes the files. Calling it again does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var faults []error
	if f.out != nil {
		faults = append(faults, f.out.Close())
		f.out = nil
	}
	if f.lock != nil {
		faults = append(faults, f.lock.Close())
		f.lock = nil
	}
	return errors.Join(faults...)
}

// State implements [Log]. It reads the files anew.
func (f *File) State(ctx context.Context) (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.readState(ctx)
	if err != nil {
		return State{}, fmt.Errorf("audit: %w", err)
	}
	return s, nil
}

func (f *File) readState(ctx context.Context) (State, error) {
	var side sidecar
	text, err := os.ReadFile(f.path + ".heads")
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return State{}, err
	default:
		if err := parse(text, &side); err != nil {
			return State{}, fmt.Errorf("%w: %s.heads: %w", ErrTampered, f.path, err)
		}
	}
	s := State{Roster: side.Roster}
	for _, h := range side.Heads {
		s.Chains = append(s.Chains, Chain{Head: h})
	}
	slices.SortStableFunc(s.Chains, func(a, b Chain) int { return strings.Compare(a.Head.Writer, b.Head.Writer) })
	cuts, err := f.readCuts(ctx)
	for _, c := range cuts { // as they are, for Verify to judge
		if i, err := s.index(c.Writer); err == nil {
			s.Chains[i].Cut = c
		}
	}
	return s, err
}

// readCuts reads the lines before the first record.
func (f *File) readCuts(ctx context.Context) (cuts []Mark, err error) {
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for it, err := range readLines(ctx, in) {
		var bad *UnreadableError
		if err != nil && !errors.As(err, &bad) {
			return nil, err
		}
		if err != nil || it.cut == nil {
			break // Scan tells what is wrong with the line
		}
		cuts = append(cuts, *it.cut)
	}
	return cuts, nil
}

// Scan implements [Log], in the order of the lines.
func (f *File) Scan(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in, err := os.Open(f.path)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer func() { _ = in.Close() }() // it was only read
		begun := false
		for it, err := range readLines(ctx, in) {
			if err == nil && it.cut != nil {
				if !begun {
					continue
				}
				err = &UnreadableError{Where: "cut of chain " + it.cut.Writer, Err: errors.New("stands after an entry")}
			}
			begun = true
			if !yield(it.record, err) {
				return
			}
		}
	}
}

// writeState puts s in place of what lies beside the lines.
func (f *File) writeState(s State) error {
	side := sidecar{Roster: s.Roster, Heads: make([]Mark, len(s.Chains))}
	for i, c := range s.Chains {
		side.Heads[i] = c.Head
	}
	text, err := appendLine(nil, side)
	if err != nil {
		return err
	}
	return replaceFile(f.path+".heads", bytes.NewReader(text))
}

// replaceFile puts text in place of a file, so that after a crash it is the old or the
// new one, whole.
func replaceFile(path string, text io.Reader) (err error) {
	name := path + ".new" // always the same, so that crashes do not leave ever more of them
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	aside, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	_, err = io.Copy(aside, text)
	if err := errors.Join(err, aside.Sync(), aside.Close()); err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		return err
	}
	return syncDir(path)
}
