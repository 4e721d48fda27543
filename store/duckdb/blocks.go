//go:build cgo

package duckdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sightline-analytics/sightline/store"
)

// A DuckDB file begins with three headers of 4096 bytes: one of the file, and two of its content, of which the one
// of the later checkpoint counts. Blocks follow. Each header and each block begins with a uint64 checksum of the rest.
const (
	fileMark    = "DUCK" // in a header, after its checksum
	headerSize  = 4096
	firstBlock  = 3 * headerSize
	metaParts   = 64 // of a block that describes others
	oldestFile  = 64 // versions of files with these headers
	newestFile  = 68
	largestPart = 1 << 20 // more than a block can be
)

// Checksums of files and logs.
const (
	checksumStart  = 5381
	checksumFactor = 0xbf58476d1ce4e5b9
)

// checksum returns the engine's checksum of data.
func checksum[T string | []byte](data T) uint64 { return addChecksum(checksumStart, []byte(data)) }

// addChecksum adds data to a checksum. All data but the last must have a multiple of 8 bytes.
func addChecksum(sum uint64, data []byte) uint64 {
	for len(data) >= 8 {
		sum ^= binary.LittleEndian.Uint64(data) * checksumFactor
		data = data[8:]
	}
	if len(data) == 0 {
		return sum
	}
	// MurmurHash64A of the last bytes.
	const factor = 0xc6a4a7935bd1e995
	var last uint64
	for i, c := range data {
		last |= uint64(c) << (8 * i)
	}
	h := uint64(0xe17a1465) ^ uint64(len(data))*factor
	h = (h ^ last) * factor
	h = (h ^ h>>47) * factor
	return sum ^ h ^ h>>47
}

// sound reports whether a header or a block has the checksum that it begins with.
func sound(part []byte) bool {
	return binary.LittleEndian.Uint64(part) == checksum(part[8:])
}

// A fileID stands in the header of a file and in the header of its log.
type fileID [16]byte

// A layout holds the facts in the headers of a file.
type layout struct {
	id        fileID
	iteration uint64
	freeList  uint64 // where it is: a block, and in the highest byte a part of it
	blocks    int64
	blockSize int64
}

// checkBlocks reports a file with damaged headers, or one that ends before a block in use. With all it also reads every
// block in use, and reports wrong checksums. It passes a file of an unknown version: the engine decides about it.
func checkBlocks(path string, all bool) (fileID, error) {
	f, err := os.Open(path)
	if err != nil {
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	}
	damaged := func(format string, args ...any) (fileID, error) {
		return fileID{}, &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s %s; see docs/recovery.md", path, fmt.Sprintf(format, args...))}
	}
	l, known, err := readLayout(f)
	switch {
	case errors.Is(err, errDamaged):
		return damaged("has a damaged header")
	case err != nil:
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	case !known:
		return l.id, nil
	}
	want := firstBlock + l.blocks*l.blockSize
	if !all && info.Size() >= want {
		return l.id, nil
	}
	free, err := l.free(f)
	switch {
	case errors.Is(err, errDamaged), errors.Is(err, io.EOF):
		free = nil // then a block that the list lies in is among the damaged or missing ones
	case err != nil:
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	}
	stored := min(l.blocks, (info.Size()-firstBlock)/l.blockSize)
	for id := stored; id < l.blocks; id++ {
		if !free[id] { // the engine removes free blocks from the end of the file, and the headers may still count them
			return damaged("is cut: it has %d bytes of %d", info.Size(), want)
		}
	}
	if !all {
		return l.id, nil
	}
	bad, first, err := l.badBlocks(f, stored, free)
	switch {
	case err != nil:
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	case bad > 0:
		return damaged("has %d damaged blocks of %d, the first at byte %d", bad, l.blocks, firstBlock+first*l.blockSize)
	}
	return l.id, nil
}

var errDamaged = errors.New("damaged")

// readLayout reads the headers. It does not know a file of another version, nor an encrypted one.
func readLayout(f io.ReaderAt) (l layout, known bool, err error) {
	buf := make([]byte, firstBlock)
	if _, err := f.ReadAt(buf, 0); errors.Is(err, io.EOF) {
		return l, false, errDamaged
	} else if err != nil {
		return l, false, err
	}
	head := buf[:headerSize]
	if !bytes.Equal(head[8:12], []byte(fileMark)) {
		return l, false, nil
	}
	if !sound(head) {
		return l, false, errDamaged
	}
	if v := binary.LittleEndian.Uint64(head[12:]); v < oldestFile || v > newestFile || binary.LittleEndian.Uint64(head[20:]) != 0 {
		return l, false, nil
	}
	for at := headerSize; at < firstBlock; at += headerSize {
		h := buf[at : at+headerSize]
		if !sound(h) {
			return l, false, errDamaged
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(h[8*i:]) }
		if found := (layout{fileID(head[124:]), word(1), word(3), int64(word(4)), int64(word(5))}); at == headerSize || found.iteration > l.iteration {
			l = found
		}
	}
	known = l.blocks >= 0 && l.blocks < 1<<40 && l.blockSize >= headerSize && l.blockSize < largestPart && l.blockSize%8 == 0
	return l, known, nil
}

// badBlocks counts the stored blocks in use with a wrong checksum and names the first. Free blocks need none: a process
// that was killed may have left half of one.
func (l layout) badBlocks(f io.ReaderAt, stored int64, free map[int64]bool) (bad int, first int64, err error) {
	buf := make([]byte, l.blockSize)
	for id := range stored {
		if free[id] {
			continue
		}
		if _, err := f.ReadAt(buf, firstBlock+id*l.blockSize); err != nil {
			return 0, 0, err
		}
		if !sound(buf) {
			if bad == 0 {
				first = id
			}
			bad++
		}
	}
	return bad, first, nil
}

// free returns the blocks that nothing uses. Its error is errDamaged for a damaged list, and io.EOF for one that lies
// behind the end of the file.
func (l layout) free(f io.ReaderAt) (map[int64]bool, error) {
	free := make(map[int64]bool)
	r := metaReader{layout: l, file: f, next: l.freeList}
	n, err := r.word()
	for ; err == nil && n > 0; n-- {
		var id uint64
		if id, err = r.word(); err == nil {
			free[int64(id)] = true
		}
	}
	return free, err
}

// A metaReader reads words from a chain of parts of blocks. Each part begins with the place of the next.
type metaReader struct {
	layout
	file io.ReaderAt
	next uint64
	part []byte // that is not read yet
	read int64  // parts
}

func (r *metaReader) word() (uint64, error) {
	for len(r.part) < 8 {
		if r.next == ^uint64(0) {
			return 0, nil // no list
		}
		id, part := int64(r.next&(1<<56-1)), int64(r.next>>56)
		if id >= r.blocks || part >= metaParts || r.read > r.blocks*metaParts {
			return 0, errDamaged
		}
		block := make([]byte, r.blockSize)
		if _, err := r.file.ReadAt(block, firstBlock+id*r.blockSize); err != nil {
			return 0, err
		}
		if !sound(block) {
			return 0, errDamaged
		}
		size := (r.blockSize - 8) / metaParts / 8 * 8
		r.part = block[8+part*size : 8+(part+1)*size]
		r.next = binary.LittleEndian.Uint64(r.part)
		r.part = r.part[8:]
		r.read++
	}
	w := binary.LittleEndian.Uint64(r.part)
	r.part = r.part[8:]
	return w, nil
}
