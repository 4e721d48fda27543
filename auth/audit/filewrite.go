package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// change runs do when f can be written to, and says what failed.
func (f *File) change(ctx context.Context, do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock == nil || f.out == nil {
		return ErrReadOnly
	}
	err := ctx.Err()
	if err == nil && f.torn {
		err = f.rewind()
	}
	if err == nil {
		err = do()
	}
	if err != nil {
		return fmt.Errorf("audit: %s: %w", f.path, err)
	}
	return nil
}

// keep writes next, and takes it for the state when that went well.
func (f *File) keep(next State) error {
	if err := f.writeState(next); err != nil {
		return err
	}
	f.state = next
	return nil
}

// Enrol implements [Log].
func (f *File) Enrol(ctx context.Context, r Roster, head Mark) error {
	return f.change(ctx, func() error {
		next := f.state.clone()
		if err := next.enrol(r, head); err != nil {
			return err
		}
		return f.keep(next)
	})
}

// Append implements [Log]: the lines are on disk before the head is replaced.
func (f *File) Append(ctx context.Context, head Mark, records []Record) error {
	return f.change(ctx, func() error {
		next := f.state.clone()
		i, err := next.index(head.Writer)
		if err != nil {
			return err
		}
		last, some := f.last[head.Writer]
		if !some {
			last = next.Chains[i].Head
		}
		records, err := Missing(last, records)
		if err != nil {
			return err
		}
		if err := f.appendLines(records); err != nil {
			return err
		}
		// The lines are there even if the head cannot be replaced, and must not be
		// there twice.
		f.last[head.Writer] = head
		next.Chains[i].Head = head
		return f.keep(next)
	})
}

// appendLines adds all lines, or none.
func (f *File) appendLines(records []Record) (err error) {
	if len(records) == 0 {
		return nil
	}
	var text []byte
	for _, r := range records {
		text = AppendLine(text, r)
	}
	_, err = f.out.Write(text)
	if err == nil {
		err = f.out.Sync()
	}
	if err != nil {
		f.torn = true
		return errors.Join(err, f.rewind())
	}
	f.size += int64(len(text))
	return nil
}

// Cut implements [Log]: it writes the file anew.
func (f *File) Cut(ctx context.Context, cuts []Mark) error {
	return f.change(ctx, func() error {
		next := f.state.clone()
		next.cut(cuts)
		return f.rewrite(ctx, next)
	})
}

// Drop implements [Log]. Cuts of dropped chains that a crash leaves say nothing.
func (f *File) Drop(ctx context.Context, r Roster, heads []Mark) error {
	return f.change(ctx, func() error {
		next := f.state.clone()
		if err := next.drop(r, heads); err != nil {
			return err
		}
		if err := f.keep(next); err != nil {
			return err
		}
		for _, h := range heads {
			delete(f.last, h.Writer)
		}
		return f.rewrite(ctx, next)
	})
}

// rewrite puts a file in place that holds the cuts of next and the lines that they leave.
func (f *File) rewrite(ctx context.Context, next State) error {
	from, to := io.Pipe()
	go func() { to.CloseWithError(f.copyLines(ctx, to, next)) }()
	err := replaceFile(f.path, from)
	_ = from.Close() // ends copyLines when replaceFile did not read on
	if err != nil {
		return err
	}
	f.state = next
	out, err := os.OpenFile(f.path, os.O_RDWR, 0o600)
	if err != nil {
		return errors.Join(err, f.out.Close()) // further writes fail, until somebody opens it anew
	}
	old := f.out
	f.out = out
	f.size, err = out.Seek(0, io.SeekEnd)
	return errors.Join(err, old.Close())
}

func (f *File) copyLines(ctx context.Context, to io.Writer, next State) error {
	w := bufio.NewWriter(to) // which remembers errors until Flush
	var cuts []Mark
	var text []byte
	for _, c := range next.Chains {
		if c.Cut == (Mark{}) {
			continue
		}
		cuts = append(cuts, c.Cut)
		cut, err := appendLine(nil, cutLine{c.Cut})
		if err != nil {
			return err
		}
		_, _ = w.Write(cut)
	}
	for r, err := range f.Scan(ctx) {
		if err != nil {
			return err // what cannot be read is not to be lost by the way
		}
		if !covered(r, cuts) {
			text = AppendLine(text[:0], r)
			_, _ = w.Write(text)
		}
	}
	return w.Flush()
}

// syncDir has the entries of path's folder on disk.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
