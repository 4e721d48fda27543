package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// A File is a Log that appends entries to a file, each as a line of JSON with its chain, number and MAC. The
// file has mode 0600, and only one process may use it. A File is not a Pruner: rotate files instead.
// Rename the file, or let logrotate do it (without copytruncate); later entries go to a new file with the old
// name. [Segments] verifies the files that still exist.
type File struct {
	path string

	mu    sync.Mutex
	out   *os.File              // nil after Close
	due   []byte                // the part of lines that a failed append has not written
	dirty bool                  // written but not yet synced to disk
	heads map[string]Checkpoint // of the chains that this process wrote
}

// OpenFile opens the log at path, or creates it. The folder must exist. A last line that a crash cut short
// is removed.
func OpenFile(path string) (*File, error) {
	f := &File{path: path, heads: map[string]Checkpoint{}}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return f, nil
}

// open opens the file that is now at path.
func (f *File) open() error {
	out, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(cutTorn(out), syncFolder(f.path)); err != nil {
		return errors.Join(err, out.Close())
	}
	before := f.out
	f.out = out
	for _, w := range slices.Sorted(maps.Keys(f.heads)) {
		f.due = appendJSON(f.due, startLine{w, f.heads[w].Seq, f.heads[w].MAC})
	}
	if before == nil {
		return nil
	}
	return before.Close()
}

// cutTorn removes an incomplete last line.
func cutTorn(f *os.File) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tail := make([]byte, min(end, maxLine))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil {
		return err
	}
	torn := len(tail) - 1 - bytes.LastIndexByte(tail, '\n')
	if torn == 0 {
		return nil
	}
	return f.Truncate(end - int64(torn))
}

// syncFolder makes the name of a file durable.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Close closes the file. Calling it again does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out == nil {
		return nil
	}
	err := f.out.Close()
	f.out = nil
	return err
}

// Append implements [Log].
func (f *File) Append(ctx context.Context, head Checkpoint, records []Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.append(head, records); err != nil {
		return fmt.Errorf("audit: %s: %w", f.path, err)
	}
	return nil
}

func (f *File) append(head Checkpoint, records []Record) error {
	if f.out == nil {
		return os.ErrClosed
	}
	records, err := Missing(f.heads[head.Writer], records)
	if err == nil {
		err = f.write() // complete a partly written line before switching to another file
	}
	if err == nil {
		err = f.follow()
	}
	if err != nil || len(records) == 0 {
		return err
	}
	for _, r := range records {
		f.due = AppendLine(f.due, r)
	}
	f.heads[head.Writer] = head
	return f.write()
}

// follow opens path again if the file was moved away.
func (f *File) follow() error {
	here, err := f.out.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(here, there) {
		return f.open()
	}
	return err
}

// write writes and syncs everything that is pending.
func (f *File) write() error {
	if len(f.due) > 0 {
		f.dirty = true
		n, err := f.out.Write(f.due)
		f.due = f.due[n:]
		if err != nil {
			return err
		}
		f.due = nil
	}
	if !f.dirty {
		return nil
	}
	err := f.out.Sync()
	f.dirty = err != nil
	return err
}
