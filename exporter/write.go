package exporter

import (
	"context"
	"fmt"
	"io"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Format is a form of files.
type Format struct {
	Name string // such as "csv"
	Type string // the media type
	// OneTable says that a file has the rows of one table.
	OneTable bool
	// Memory is about how many bytes a file needs in memory while it is written, beside Config.Rows rows.
	Memory int64
	// Appends says that a file can be continued: it is a sequence of lines.
	Appends bool
	// Open begins a file with the rows of tables.
	Open func(to Target, tables []schema.TableID) (Writer, error)
}

// A Target is where an export goes, with options of formats.
type Target struct {
	To io.Writer
	// Continues says that the rows follow other rows of the same file, so that a format writes no header.
	Continues bool
	// RawTexts is an option of CSV: see [CSV].
	RawTexts bool
	// BOM is an option of CSV: the byte order mark of UTF-8 comes first, so that Excel reads the file as UTF-8.
	BOM bool
}

// A Writer writes rows in a format.
type Writer interface {
	// Write writes all items of b, which belong to table.
	Write(table schema.TableID, b *store.Batch) error
	// Mark is called after a piece of rows. A format that can be continued has then given all of it to Target.To.
	Mark(rows int64, after Cursor) error
	// Close writes the end of the file.
	Close(rows int64) error
}

// A profileWriter is a [Writer] whose format has profiles.
type profileWriter interface {
	// WriteProfiles writes profiles behind all rows.
	WriteProfiles(all []store.Profile) error
}

// A OneTableError says that a format needs Config.Table.
type OneTableError struct{ Format string }

// Error implements error.
func (e *OneTableError) Error() string {
	return "exporter: a file in the format " + e.Format + " has the rows of one table; set Config.Table"
}

// Write writes the rows to a file. After an error, the returned Progress says what the file certainly has, if the
// format can be continued; a file of another format must be written again.
func (x *Export) Write(ctx context.Context, f Format, to Target) (Progress, error) {
	done := Progress{Total: x.total, After: x.cfg.After}
	if f.OneTable && len(x.tables) > 1 {
		return done, &OneTableError{f.Name}
	}
	out, err := f.Open(to, x.tables)
	if err != nil {
		return done, fmt.Errorf("exporter: %w", err)
	}
	for i := range x.parts {
		if err := x.part(ctx, &x.parts[i], out, &done); err != nil {
			return done, err
		}
	}
	if err := x.profiles(ctx, out, &done); err != nil {
		return done, err
	}
	done.Total = done.Rows
	if err := out.Close(done.Rows); err != nil {
		return done, fmt.Errorf("exporter: writing: %w", err)
	}
	return done, nil
}

// part writes the rows of p in pieces.
func (x *Export) part(ctx context.Context, p *part, out Writer, done *Progress) (err error) {
	pieces := []scan.Stretch{p.Stretch}
	if p.rows > int64(x.cfg.Rows) {
		if pieces, err = scan.Cut(ctx, x.cfg.Source, p.table, p.Stretch, x.cfg.Rows); err != nil {
			return fmt.Errorf("exporter: reading %s: %w", p.table.Name, err)
		}
	}
	for _, piece := range pieces {
		rows, err := scan.Read(ctx, x.cfg.Source, p.table, p.table.Columns, piece)
		if err != nil {
			return fmt.Errorf("exporter: reading %s: %w", p.table.Name, err)
		}
		if rows.Len == 0 {
			continue
		}
		last := rows.Len - 1
		after := Cursor{p.table.Name, rows.Columns[1].Ints[last], rows.Columns[0].Texts[last]}
		count := int64(rows.Len)
		batch := p.table.Items(x.cfg.Subject.ID, rows)
		if err := x.written(out.Write(p.table.ID, batch), out, done, count, after); err != nil {
			return err
		}
	}
	return nil
}

// profiles writes the profiles of the website in pieces, if the export has any.
func (x *Export) profiles(ctx context.Context, out Writer, done *Progress) error {
	to, ok := out.(profileWriter)
	if !ok || !x.cfg.profiles() {
		return nil
	}
	after := Cursor{table: rowjson.Profiles}
	if x.cfg.After.table == rowjson.Profiles {
		after = x.cfg.After
	}
	for {
		piece, err := x.cfg.Profiles.ProfilesAfter(ctx, x.cfg.Subject.ID, after.id, min(x.cfg.Rows, profilesAtOnce))
		if err != nil {
			return fmt.Errorf("exporter: reading profiles: %w", err)
		}
		if len(piece) == 0 {
			return nil
		}
		after.id = piece[len(piece)-1].ID
		if err := x.written(to.WriteProfiles(piece), out, done, int64(len(piece)), after); err != nil {
			return err
		}
	}
}

// profilesAtOnce bounds the profiles in memory, of which each may have some kilobytes.
const profilesAtOnce = 1000

// written marks a piece of count lines that was written, unless err is not nil.
func (x *Export) written(err error, out Writer, done *Progress, count int64, after Cursor) error {
	if err == nil {
		err = out.Mark(done.Rows+count, after)
	}
	if err != nil {
		return fmt.Errorf("exporter: writing: %w", err)
	}
	done.Rows, done.After = done.Rows+count, after
	done.Total = max(done.Total, done.Rows)
	if x.cfg.Tell != nil {
		x.cfg.Tell(*done)
	}
	return nil
}
