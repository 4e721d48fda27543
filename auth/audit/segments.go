package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
)

// startLine is the first line of a chain in a file after a rotation. It names the entry that the chain continues.
// It needs no signature, because the MAC of the next entry depends on it.
type startLine struct {
	Writer string `json:"continues"`
	Seq    int64  `json:"seq"`
	MAC    MAC    `json:"mac"`
}

var startPrefix = []byte(`{"continues":`)

// Segments are the paths of the files of a trail, the oldest first. They can be verified while a process
// writes to the last file. Files have no heads and no prune points. So entries removed from the start or
// end of a chain, and removed chains, can only be detected with known heads. The [Report] says where each
// chain starts.
type Segments []string

var _ Trail = (Segments)(nil)

// Chains implements [Trail]. It reads all files.
func (s Segments) Chains(ctx context.Context) ([]Chain, error) {
	found := map[string]Chain{}
	for it, err := range s.read(ctx) {
		var bad *UnreadableError
		if errors.As(err, &bad) {
			continue // Scan reports the error
		}
		if err != nil {
			return nil, err
		}
		c, known := found[it.place.Writer]
		if !known && it.start {
			c.PrunePoint = it.place
		}
		c.Head, c.Unsigned = it.place, true
		found[it.place.Writer] = c
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Chain) int { return cmp.Compare(a.Head.Writer, b.Head.Writer) }), nil
}

// Scan implements [Trail]. It yields records in the order of the lines.
func (s Segments) Scan(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for it, err := range s.read(ctx) {
			if (err != nil || !it.start) && !yield(it.record, err) {
				return
			}
		}
	}
}

// item is the content of a line: the start of a chain in its file, or a record.
type item struct {
	start  bool
	place  Checkpoint
	record Record
}

// read yields the contents of the lines, with errors as described at [Trail.Scan].
func (s Segments) read(ctx context.Context) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		last := map[string]Checkpoint{}
		for i, path := range s {
			for it, err := range readFile(ctx, path) {
				before, known := last[it.place.Writer]
				if err == nil && it.start && (known || i > 0) && before != it.place {
					err = &UnreadableError{Where: path, Err: fmt.Errorf("it continues chain %s after entry %d, but the chain ended elsewhere in the previous files", it.place.Writer, it.place.Seq)}
				}
				if err == nil {
					last[it.place.Writer] = it.place
				}
				if !yield(it, err) {
					return
				}
			}
		}
	}
}

// readFile yields the contents of the lines of a file. It skips text after the last line end, since that line was
// not completely written.
func readFile(ctx context.Context, path string) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(item{}, err)
			return
		}
		defer func() { _ = file.Close() }() // the file was only read
		in := bufio.NewReaderSize(file, maxLine)
		for n := 1; ; n++ {
			text, err := in.ReadSlice('\n')
			tooLong := errors.Is(err, bufio.ErrBufferFull)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(item{}, err)
				return
			}
			it, err := parseItem(text)
			if tooLong {
				err = errors.New("line is longer than any valid line")
			}
			if err != nil {
				it, err = item{}, &UnreadableError{Where: fmt.Sprintf("%s, line %d", path, n), Err: err}
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

func parseItem(text []byte) (item, error) {
	if bytes.HasPrefix(text, startPrefix) {
		var l startLine
		err := parseJSON(text, &l)
		return item{start: true, place: Checkpoint{Writer: l.Writer, Seq: l.Seq, MAC: l.MAC}}, err
	}
	r, err := ParseLine(text)
	return item{place: Checkpoint{Writer: r.Writer, Seq: r.Seq, MAC: r.MAC}, record: r}, err
}
