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

// A DuckDB file begins with three headers of 4096 bytes. The first describes the file. The other two describe
// its content: the one with the later checkpoint is valid. Blocks follow. Every header and block begins with a
// uint64 checksum of its remaining bytes.
const (
	fileMark    = "DUCK" // in a header, after its checksum
	headerSize  = 4096
	firstBlock  = 3 * headerSize
	metaParts   = 64 // parts of a block of metadata
	oldestFile  = 64 // the first and the last version of files with these headers
	newestFile  = 68
	largestPart = 1 << 20 // larger than any block
)

// Constants of the engine's checksums of blocks and log entries.
const (
	checksumStart  = 5381
	checksumFactor = 0xbf58476d1ce4e5b9
)

// checksum returns the engine's checksum of data.
func checksum[T string | []byte](data T) uint64 { return addChecksum(checksumStart, []byte(data)) }

// addChecksum adds data to a checksum. The length of data must be a multiple of 8 bytes, except in the last
// call.
func addChecksum(sum uint64, data []byte) uint64 {
	for len(data) >= 8 {
		sum ^= binary.LittleEndian.Uint64(data) * checksumFactor
		data = data[8:]
	}
	if len(data) == 0 {
		return sum
	}
	// The last bytes are hashed with MurmurHash64A.
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

// sound reports whether the checksum at the start of a header or block is correct.
func sound(part []byte) bool {
	return binary.LittleEndian.Uint64(part) == checksum(part[8:])
}

// A fileID identifies a file. It is in the header of the file and in the header of its log.
type fileID [16]byte

// A layout has the values from the headers of a file.
type layout struct {
	id        fileID
	iteration uint64
	freeList  uint64 // the position of the list of free blocks: a block, and in the highest byte a part of it
	blocks    int64
	blockSize int64
}

// checkBlocks returns an error if the headers of a file are damaged, or if the file ends before a block in use.
// If all is true, it also verifies the checksums of all blocks in use. It accepts files of unknown versions,
// which the engine has to check.
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
		return fileID{}, &fault{kind: store.ErrCorrupt,
			cause: fmt.Errorf("%s %s; see docs/operations.md#damage", path, fmt.Sprintf(format, args...))}
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
		free = nil // the block with the list is reported as damaged or missing
	case err != nil:
		return fileID{}, &fault{kind: store.ErrUnavailable, cause: err}
	}
	stored := min(l.blocks, (info.Size()-firstBlock)/l.blockSize)
	for id := stored; id < l.blocks; id++ {
		if !free[id] { // the engine removes free blocks from the end of the file, although the headers still count them
			return damaged("is truncated: it has %d of %d bytes", info.Size(), want)
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

// readLayout reads the headers. known is false for a file with another version and for an encrypted file.
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
	if v := binary.LittleEndian.Uint64(head[12:]); v < oldestFile || v > newestFile ||
		binary.LittleEndian.Uint64(head[20:]) != 0 {
		return l, false, nil
	}
	for at := headerSize; at < firstBlock; at += headerSize {
		h := buf[at : at+headerSize]
		if !sound(h) {
			return l, false, errDamaged
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(h[8*i:]) }
		if found := (layout{fileID(head[124:]), word(1), word(3), int64(word(4)), int64(word(5))}); at == headerSize ||
			found.iteration > l.iteration {
			l = found
		}
	}
	known = l.blocks >= 0 && l.blocks < 1<<40 && l.blockSize >= headerSize && l.blockSize < largestPart &&
		l.blockSize%8 == 0
	return l, known, nil
}

// badBlocks verifies the checksums of the first blocks of a file; stored is their number. It returns the number
// of blocks in use with a wrong checksum, and the first of them. Free blocks may have any content: a killed
// process may have written half of one.
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

// free returns the unused blocks. The error is errDamaged if the list is damaged, and io.EOF if it is after the
// end of the file.
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

// A metaReader reads words from a chain of parts of blocks. Each part begins with the position of the next one.
type metaReader struct {
	layout
	file io.ReaderAt
	next uint64
	part []byte // unread bytes of the current part
	read int64  // parts read so far
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
