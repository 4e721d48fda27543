package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Source has the records of one file, stream or table. Exactly one of Open and Records is set.
type Source struct {
	Name string
	// Open opens the source at its beginning. If Once is true, it can only be called once.
	Open func() (io.ReadCloser, error)
	Once bool
	Size int64 // of what Open reads, in bytes; 0 means unknown

	// Records returns the records of a table of the host, in the same order each time, oldest first. To resume, the order must
	// be the same in the next call, with new records at the end. Name identifies the table.
	Records iter.Seq2[Record, error]
}

// Files returns the sources of files. A name may be a pattern, such as /var/log/nginx/access.log*; its error says which name
// matches no file. The same file is only returned once.
func Files(names ...string) ([]Source, error) {
	var all []Source
	var faults []error
	seen := map[string]bool{}
	for _, name := range names {
		found, err := filepath.Glob(name)
		if _, statErr := os.Stat(name); statErr == nil {
			found, err = []string{name}, nil // its name may contain characters of patterns
		}
		if err != nil || len(found) == 0 {
			faults = append(faults, fmt.Errorf("%s does not exist", name))
			continue
		}
		slices.Sort(found)
		for _, file := range found {
			info, err := os.Stat(file)
			switch {
			case err != nil:
				faults = append(faults, err)
			case info.IsDir():
				faults = append(faults, fmt.Errorf("%s is a folder; name its files, such as %s", file, filepath.Join(file, "*")))
			case !seen[filepath.Clean(file)]:
				seen[filepath.Clean(file)] = true
				all = append(all, Source{Name: file, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(file) }})
			}
		}
	}
	return all, errors.Join(faults...)
}

// Stream returns a source that reads r, such as standard input.
func Stream(name string, r io.Reader) Source {
	return Source{Name: name, Once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// headSize is the number of bytes by which a source is recognised.
const headSize = 64 << 10

// utf8Mark stands at the beginning of some texts in UTF-8.
const utf8Mark = "\xef\xbb\xbf"

// An input is an open source, with its content decompressed.
type input struct {
	*bufio.Reader

	head   []byte // the first headSize bytes of the content, or all
	raw    *counter
	closes []func() error
}

func (in *input) close() error {
	var faults []error
	for _, c := range slices.Backward(in.closes) {
		faults = append(faults, c())
	}
	return errors.Join(faults...)
}

// A counter counts the bytes that were read.
type counter struct {
	io.Reader

	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// open opens the source and reads its head. An error of reading the head is returned only if the head is empty, because otherwise
// the following records report it.
func (s *Source) open() (_ *input, err error) {
	file, err := s.Open()
	if err != nil {
		return nil, err
	}
	in := &input{raw: &counter{Reader: file}, closes: []func() error{file.Close}}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	raw := bufio.NewReader(in.raw)
	plain, err := in.decompress(raw)
	if err != nil {
		return nil, err
	}
	in.Reader = bufio.NewReaderSize(plain, MaxRecord)
	if mark, _ := in.Peek(len(utf8Mark)); bytes.HasPrefix(mark, []byte(utf8Mark)) {
		_, _ = in.Discard(len(utf8Mark)) // they were read
	}
	head, err := in.Peek(headSize)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	in.head = bytes.Clone(head)
	return in, nil
}

// decompress returns a reader of the content, by the first bytes of raw.
func (in *input) decompress(raw *bufio.Reader) (io.Reader, error) {
	magic, _ := raw.Peek(4) // a shorter file is not compressed
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		in.closes = append(in.closes, unzip.Close)
		return unzip, nil
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		const maxWindow = 128 << 20
		unzip, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		in.closes = append(in.closes, func() error { unzip.Close(); return nil })
		return unzip, nil
	}
	return raw, nil
}

// problem describes an error of reading for people.
func problem(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the compressed data ends too early; everything before its end was imported"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return "the compressed data is damaged; everything before the damage was imported"
	}
	return strings.TrimSpace(err.Error())
}
