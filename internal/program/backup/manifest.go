package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// ManifestFile is the name of the manifest in a backup. It is written last, so a backup without it is incomplete.
const ManifestFile = "manifest.json"

// maxManifest is the largest size of a manifest in bytes. Real ones have some hundred bytes.
const maxManifest = 1 << 20

// formatVersion is the newest format of backups that this program knows.
const formatVersion = 1

// ErrDamaged: a file of a backup is missing, or differs from its manifest.
var ErrDamaged = errors.New("the backup is damaged")

// A Manifest describes a complete backup.
type Manifest struct {
	Format int `json:"format"`
	// Moment is the time of the backup by the clock of the server. Every event that was acknowledged before is in the
	// backup, and no event that was sent later.
	Moment  time.Time `json:"moment"`
	Program string    `json:"program"` // version of the program that made the backup
	Events  Database  `json:"events"`
	Records Database  `json:"records"`
	Files   []File    `json:"files"`
}

// A Database describes a part of the data.
type Database struct {
	Name   string `json:"database"`         // DuckDB, SQLite, or PostgreSQL, whose data is not in the backup
	Schema int    `json:"schema,omitempty"` // version of its tables; 0 if its data is not in the backup
}

// A File is a file of a backup.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Bytes returns the size of all files.
func (m *Manifest) Bytes() (sum int64) {
	for _, f := range m.Files {
		sum += f.Bytes
	}
	return sum
}

// ReadManifest reads the manifest in the folder of a backup. Its error wraps fs.ErrNotExist if the file is missing.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	file, err := openRegular(filepath.Join(dir, ManifestFile))
	if err != nil {
		return m, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err != nil {
		return m, err
	}
	if len(text) > maxManifest {
		return m, fmt.Errorf("%s in %s: %w: it is too large", ManifestFile, dir, ErrDamaged)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s in %s: %w: %w", ManifestFile, dir, ErrDamaged, err)
	}
	return m, nil
}

// Equal reports whether two manifests are of the same backup.
func (m *Manifest) Equal(other *Manifest) bool {
	return m.Moment.Equal(other.Moment) && slices.Equal(m.Files, other.Files)
}

// write writes the manifest, which completes the backup in dir.
func (m *Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(dir, ManifestFile), append(text, '\n'))
}

// versions returns the versions of the tables that this program writes.
func versions() (events, records int, err error) {
	events, err = embedded.SchemaVersion()
	if err != nil {
		return 0, 0, err
	}
	records, err = meta.SchemaVersion()
	return events, records, err
}

// usable returns an error if this program cannot use the backup. It looks only at the manifest.
func (m *Manifest) usable() error {
	events, records, err := versions()
	switch {
	case err != nil:
		return err
	case m.Format < 1 || m.Moment.IsZero() || m.Events.Schema < 1 || len(m.Files) == 0:
		return fmt.Errorf("%w: %s is incomplete", ErrDamaged, ManifestFile)
	case m.Format > formatVersion || m.Events.Schema > events || m.Records.Schema > records:
		return fmt.Errorf("the backup was made by a newer version of this program (%s); use that version", m.Program)
	case m.Events.Name != embedded.Database:
		return fmt.Errorf("the events of the backup are in %s, but this program stores events in %s; use a program built with the other setting of CGO_ENABLED", m.Events.Name, embedded.Database)
	}
	for _, f := range m.Files {
		if f.Name == "" || f.Name != filepath.Base(f.Name) || f.Name == ManifestFile || !filepath.IsLocal(f.Name) {
			return fmt.Errorf("%w: %s names the file %q", ErrDamaged, ManifestFile, f.Name)
		}
	}
	return nil
}

// Verify compares the sizes of the files in dir with the manifest and, if all is true, their checksums. The error wraps
// ErrDamaged if they differ.
func (m *Manifest) Verify(ctx context.Context, dir string, all bool) error {
	for _, f := range m.Files {
		path := filepath.Join(dir, f.Name)
		info, err := os.Lstat(path)
		if err == nil {
			err = needRegular(path, info)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %s is missing", ErrDamaged, f.Name)
		case err != nil:
			return err
		case info.Size() != f.Bytes:
			return fmt.Errorf("%w: %s has %d bytes, want %d", ErrDamaged, f.Name, info.Size(), f.Bytes)
		case !all:
			continue
		}
		if err := f.matches(digest(ctx, path, io.Discard)); err != nil {
			return err
		}
	}
	return nil
}

// matches returns an error unless a digest of the file is the one in the manifest.
func (f File) matches(sum string, err error) error {
	if err == nil && sum != f.SHA256 {
		err = fmt.Errorf("%w: the checksum of %s is %s, want %s", ErrDamaged, f.Name, sum, f.SHA256)
	}
	return err
}

// digest copies the file at path to a writer, and returns its SHA-256.
func digest(ctx context.Context, path string, to io.Writer) (string, error) {
	file, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // only read
	sum := sha256.New()
	const step = 16 << 20
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := io.CopyN(io.MultiWriter(sum, to), file, step)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", fmt.Errorf("copy %s after %d bytes: %w", path, n, err)
		}
	}
}
