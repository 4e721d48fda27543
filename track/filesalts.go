package track

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

const (
	saltSize   = 32      // bytes
	saltSuffix = ".salt" // of the file of a day, after its date
	tempSuffix = ".tmp"  // of a file that is not complete yet; its name begins with the date, too
)

// FileSalts are [Salts] in a folder, with one file of mode 0600 for each day. They need no database.
//
// Several processes may share the folder. The first process that asks for a day creates its salt, and all others use
// that one. The clocks of the processes must differ by less than a day. A salt is on disk before Salt returns it, so it
// survives a crash.
//
// The first call of [FileSalts.Salt] on a day, [FileSalts.Maintain] and [NewFileSalts] destroy the salts of days before
// yesterday: they overwrite the files and delete them. The bytes may remain in backups, in snapshots, and on disks that
// do not write in place.
type FileSalts struct {
	folder string
	now    func() time.Time

	mu      sync.Mutex
	known   map[int64][]byte // by day since 1970
	cleaned int64            // the last day on which old salts were destroyed
}

var (
	_ Salts            = (*FileSalts)(nil)
	_ store.Maintainer = (*FileSalts)(nil)
)

// FileSaltsConfig configures [NewFileSalts].
type FileSaltsConfig struct {
	// Folder has the files. Required. It is created with mode 0700 if it is missing. Its file system must support hard
	// links.
	Folder string
	Now    func() time.Time // nil means time.Now
}

// NewFileSalts opens the folder. It destroys old salts and creates the salt of today if it is missing, so it fails if
// the folder cannot be used.
func NewFileSalts(cfg FileSaltsConfig) (*FileSalts, error) {
	if cfg.Folder == "" {
		return nil, errors.New("track: FileSaltsConfig.Folder is required")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if err := os.MkdirAll(cfg.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("track: folder of salts: %w", err)
	}
	s := &FileSalts{folder: cfg.Folder, now: cfg.Now, known: map[int64][]byte{}}
	_, err := s.Salt(context.Background(), cfg.Now())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Salt implements [Salts]. Salts have 32 bytes. The error wraps store.ErrCorrupt if a file is damaged.
func (s *FileSalts) Salt(ctx context.Context, day time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, today := dayNumber(day), dayNumber(s.now())
	switch {
	case n < today-1:
		return nil, fmt.Errorf("track: salt: %w: the salt of %s was destroyed", store.ErrNotFound, dateOf(n))
	case n > today+1: // tomorrow is allowed, because clocks differ
		return nil, fmt.Errorf("track: salt: %w: %s is after tomorrow", store.ErrInvalid, dateOf(n))
	}
	if s.cleaned < today {
		if err := s.destroy(ctx, today); err != nil {
			return nil, err
		}
	}
	salt, ok := s.known[n]
	if !ok {
		var err error
		if salt, err = s.load(ctx, n); err != nil {
			return nil, fmt.Errorf("track: salt of %s: %w", dateOf(n), err)
		}
		s.known[n] = salt
	}
	return slices.Clone(salt), nil
}

// Maintain destroys the salts of days before yesterday. Call it every hour, so that salts are also destroyed if no
// events arrive.
func (s *FileSalts) Maintain(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.destroy(ctx, dayNumber(s.now()))
}

// load reads the salt of a day, or creates it.
func (s *FileSalts) load(ctx context.Context, day int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file := filepath.Join(s.folder, dateOf(day)+saltSuffix)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.create(file, dateOf(day)); err != nil {
			return nil, err
		}
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	salt, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || len(salt) != saltSize {
		return nil, fmt.Errorf("%w: %s has %d bytes that are not a salt", store.ErrCorrupt, file, len(text))
	}
	return salt, nil
}

// create stores a new salt in file, unless another process did.
func (s *FileSalts) create(file, date string) error {
	var fresh [saltSize]byte
	if _, err := rand.Read(fresh[:]); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.folder, date+".*"+tempSuffix) // with mode 0600
	if err != nil {
		return err
	}
	_, err = temp.WriteString(hex.EncodeToString(fresh[:]) + "\n")
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		// Unlike a rename, a link never replaces the salt of another process.
		if err = os.Link(temp.Name(), file); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(temp.Name()), syncFolder(s.folder))
}

// destroy destroys the salts of days before yesterday, in memory and in the folder.
func (s *FileSalts) destroy(ctx context.Context, today int64) error {
	maps.DeleteFunc(s.known, func(day int64, salt []byte) bool {
		if day < today-1 {
			clear(salt)
		}
		return day < today-1
	})
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("track: destroy salts: %w", err)
	}
	found := false
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		day, ok := dayOfFile(e.Name())
		if !ok || day >= today-1 {
			continue
		}
		found = true
		// another process may be first
		if err := shred(filepath.Join(s.folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("track: destroy salts: %w", err)
		}
	}
	if found {
		if err := syncFolder(s.folder); err != nil {
			return fmt.Errorf("track: destroy salts: %w", err)
		}
	}
	s.cleaned = today
	return nil
}

// shred overwrites a file with zeros and deletes it.
func shred(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(make([]byte, info.Size()))
	}
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(file))
}

// dayOfFile returns the day of a salt's file, or of an incomplete one.
func dayOfFile(name string) (day int64, ok bool) {
	date, rest, _ := strings.Cut(name, ".")
	at, err := time.Parse(time.DateOnly, date)
	if err != nil || "."+rest != saltSuffix && !strings.HasSuffix(rest, tempSuffix) {
		return 0, false
	}
	return dayNumber(at), true
}

// dayNumber returns the number of UTC days since 1970. t must not be before 1970.
func dayNumber(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// dateOf returns the date of a day as in 2026-03-01.
func dateOf(day int64) string { return time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly) }

// syncFolder syncs the names in a folder to disk. Windows does not need that.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
