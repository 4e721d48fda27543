package importer

import (
	"bufio"
	"bytes"
	"compress/bzip2"
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
	"github.com/mikelolasagasti/xz"
)

// A Source has the records of one file, stream or table. Exactly one of Open and Records is set.
type Source struct {
	Name string
	// Open opens the source at its beginning. If Once is true, it can only be called once.
	Open func() (io.ReadCloser, error)
	Once bool
	Size int64 // of what Open reads, in bytes; 0 means unknown

	// Records returns the records of a table of the host, in the same order each time, oldest first. To resume, the
	// order must be the same in the next call, with new records at the end. Name identifies the table.
	Records iter.Seq2[Record, error]
}

// Files returns the sources of files. A name may be a pattern, such as /var/log/nginx/access.log*; its error says
// which name matches no file. The same file is only returned once. Pipes and devices are read once.
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
				faults = append(faults, fmt.Errorf("%s is a folder; name its files, such as %s", file,
					filepath.Join(file, "*")))
			case !seen[filepath.Clean(file)]:
				seen[filepath.Clean(file)] = true
				s := Source{Name: file, Open: func() (io.ReadCloser, error) { return os.Open(file) }}
				if s.Once = !info.Mode().IsRegular(); !s.Once {
					s.Size = info.Size()
				}
				all = append(all, s)
			}
		}
	}
	return all, errors.Join(faults...)
}

// Stream returns a source that reads r, such as standard input.
func Stream(name string, r io.Reader) Source {
	return Source{Name: name, Once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// headSize is the number of bytes of content that are read before a source is recognised.
const headSize = 64 << 10

// utf8Mark stands at the beginning of some texts in UTF-8.
const utf8Mark = "\xef\xbb\xbf"

// An input is an open source, with its content decompressed.
type input struct {
	io.Reader

	head   []byte // the first headSize bytes of the content, or all
	whole  bool   // head is all
	held   bool   // the file is closed, and the content is in memory
	raw    *counter
	plain  *cleaner
	closes []func() error
}

func (in *input) close() error {
	var faults []error
	for _, c := range slices.Backward(in.closes) {
		faults = append(faults, c())
	}
	in.closes = nil
	return errors.Join(faults...)
}

// hold closes the file of an input whose head is all of its content.
func (in *input) hold() error {
	in.Reader, in.held = bytes.NewReader(in.head), true
	return in.close()
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

// open opens the source and reads its head. An error of reading the head is returned only if the head is empty,
// because otherwise the following records report it.
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
	in.plain = &cleaner{from: bufio.NewReaderSize(plain, headSize)}
	content := bufio.NewReaderSize(in.plain, headSize)
	if mark, _ := content.Peek(len(utf8Mark)); bytes.HasPrefix(mark, []byte(utf8Mark)) {
		_, _ = content.Discard(len(utf8Mark)) // they were read
	}
	head, err := content.Peek(headSize)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	in.Reader, in.head, in.whole = content, bytes.Clone(head), errors.Is(err, io.EOF)
	return in, nil
}

// decompress returns a reader of the content, by the first bytes of raw.
func (in *input) decompress(raw *bufio.Reader) (io.Reader, error) {
	const maxWindow = 128 << 20 // of zstd and xz, which allocate what a file asks for
	magic, _ := raw.Peek(6)     // a shorter file is not compressed
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		in.closes = append(in.closes, unzip.Close)
		unzip.Multistream(false)
		return &members{Reader: unzip, raw: raw}, nil
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unzip, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		in.closes = append(in.closes, func() error {
			unzip.Close()
			return nil
		})
		return unzip, nil
	case bytes.HasPrefix(magic, []byte("BZh")) && len(magic) > 4 && (magic[4] == 0x31 || magic[4] == 0x17):
		return bzip2.NewReader(raw), nil // after the level, a block or the end begins
	case bytes.HasPrefix(magic, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		unzip, err := xz.NewReader(raw, maxWindow)
		if err != nil {
			return nil, fmt.Errorf("xz: %w", err)
		}
		return unzip, nil
	}
	return raw, nil
}

// members reads the members of a gzip file, one after another. Zeros after the last one are padding, as of tapes
// and blocks.
type members struct {
	*gzip.Reader

	raw *bufio.Reader
	err error // of the data after a member
}

func (m *members) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.Reader.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if skipNULs(m.raw, maxPadding) > maxPadding {
		m.err = errPadding
		return n, m.err
	}
	if _, err := m.raw.Peek(1); err != nil {
		return n, err
	}
	if err := m.Reset(m.raw); err != nil {
		m.err = errors.Join(errAfterGzip, err)
		return n, m.err
	}
	m.Multistream(false)
	return n, nil
}

// skipNULs discards the NUL bytes at the beginning of r, and returns their number. It ends soon after most bytes. The
// next read of r returns the error that ended it, if there is one.
func skipNULs(r *bufio.Reader, most int64) (n int64) {
	for n <= most {
		if _, err := r.Peek(1); err != nil {
			break
		}
		held, _ := r.Peek(r.Buffered()) // is buffered
		zeros := len(held) - len(bytes.TrimLeft(held, "\x00"))
		if zeros == 0 {
			break
		}
		_, _ = r.Discard(zeros) // is buffered
		n += int64(zeros)
	}
	return n
}

var errAfterGzip = errors.New("the compressed data is followed by other data; everything before it was imported")

// padding is the number of NUL bytes from which on they are padding: a file that was cut while its program wrote
// on, or a block that a crash left empty.
const padding = 16

// maxPadding is the number of NUL bytes after which a source is given up: a device has no end, and a small archive can
// have terabytes of them.
const maxPadding = 1 << 30

var errPadding = errors.New("more than 1 GiB of NUL bytes follow; everything before was imported")

// A cleaner ends lines that end by a carriage return alone with a line feed, and replaces padding by a line feed.
type cleaner struct {
	from    *bufio.Reader
	padded  int64 // bytes of padding since the last call of takePadded
	idle    int64 // NUL bytes since the last byte of a text
	pending int   // NUL bytes that are to be returned
}

// takePadded returns the number of bytes of padding since the last call.
func (c *cleaner) takePadded() int64 {
	n := c.padded
	c.padded = 0
	return n
}

func (c *cleaner) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.pending > 0 {
		n := min(c.pending, len(p))
		clear(p[:n])
		c.pending -= n
		return n, nil
	}
	next, err := c.from.Peek(1)
	if err != nil {
		return 0, err
	}
	if next[0] == 0 {
		return c.nuls(p)
	}
	held, _ := c.from.Peek(min(c.from.Buffered(), len(p))) // is buffered
	if i := bytes.IndexByte(held, 0); i > 0 {
		held = held[:i]
	}
	n := copy(p, held)
	_, _ = c.from.Discard(n) // is buffered
	if len(bytes.Trim(p[:n], "\r\n")) > 0 {
		c.idle = 0
	}
	for i := 0; i < n; i++ {
		at := bytes.IndexByte(p[i:n], '\r')
		if at < 0 {
			break
		}
		if i += at; i+1 < n && p[i+1] == '\n' {
			continue
		}
		if i+1 == n {
			if after, _ := c.from.Peek(1); bytes.Equal(after, []byte("\n")) {
				continue
			}
		}
		p[i] = '\n'
	}
	return n, nil
}

// nuls reads NUL bytes.
func (c *cleaner) nuls(p []byte) (int, error) {
	n := skipNULs(c.from, maxPadding-c.idle)
	if c.idle += n; c.idle > maxPadding {
		return 0, errPadding
	}
	if n < padding {
		c.pending = int(n)
		return c.Read(p)
	}
	c.padded += n
	p[0] = '\n'
	return 1, nil
}

// problem describes an error of reading for people.
func problem(err error) string {
	switch {
	case errors.Is(err, errAfterGzip):
		return errAfterGzip.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, xz.ErrBuf):
		return "the compressed data ends too early; everything before its end was imported"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch),
		errors.Is(err, xz.ErrData), isBzip2(err):
		return "the compressed data is damaged; everything before the damage was imported"
	}
	return strings.TrimSpace(err.Error())
}

// isBzip2 reports whether err is of damaged data of bzip2.
func isBzip2(err error) bool {
	_, is := errors.AsType[bzip2.StructuralError](err)
	return is
}
