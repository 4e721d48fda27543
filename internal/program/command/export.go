package command

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/exporter/parquet"
	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// exportRows exports the rows of a website, link or monitor.
type exportRows struct {
	eventSource

	Website        string `xor:"subject" required:"" placeholder:"ID" help:"Id of the website to export."`
	Link           string `xor:"subject" required:"" placeholder:"ID" help:"Id of the short link to export."`
	Monitor        string `xor:"subject" required:"" placeholder:"ID" help:"Id of the uptime monitor to export."`
	From           day    `placeholder:"DAY" help:"First UTC day, such as 2026-11-21. Default: the first day with rows."`
	To             day    `placeholder:"DAY" help:"Last UTC day. Default: the last day with rows."`
	Format         string `enum:"${exports}" default:"ndjson" help:"Format: ${exports}. import reads ndjson."`
	Table          string `placeholder:"NAME" help:"The only table to export, such as events. Required for a website with csv and parquet, whose files have one table."`
	Profiles       bool   `default:"true" negatable:"" help:"For ndjson with all tables of a website: also export the names and traits of its profiles. --no-profiles leaves them out."`
	Meta           dsn    `env:"SIGHTLINE_META" placeholder:"ADDRESS|@FILE" help:"PostgreSQL database with the profiles, if they are there and not in the data folder."`
	EscapeFormulas bool   `default:"true" negatable:"" help:"For csv: put an apostrophe before texts that spreadsheets would run as formulas. --no-escape-formulas leaves texts as visitors sent them, for programs."`
	BOM            bool   `help:"For csv: begin with the byte order mark of UTF-8, so that Excel reads the file as UTF-8. Default: none."`
	After          string `placeholder:"CURSOR" help:"Continue an interrupted export to standard output, from the cursor of its last mark."`
	Force          bool   `help:"Replace FILE if it exists."`

	File string `arg:"" optional:"" help:"File to write; a name that ends with .gz means that it is compressed by gzip. - or no file means standard output."`
}

func (*exportRows) Help() string {
	return `The command can be stopped or killed at any time: until it is complete, the rows are in FILE.part, and the same command continues. A Parquet file cannot be continued, so the command writes it again. A server may be running on the data folder. See docs/import.md#export.`
}

func (x *exportRows) Validate() error {
	if !x.From.IsZero() && !x.To.IsZero() && x.To.Before(x.From.Time) {
		return errors.New("--to is before --from")
	}
	if x.After != "" && !x.toStdout() {
		return errors.New("--after is for standard output; a file continues by itself")
	}
	if x.format().OneTable && x.Table == "" && x.Website != "" {
		return fmt.Errorf("--format %s needs --table, because a file has the rows of one table: %s", x.Format,
			joined(exporter.Tables(store.KindWebsite)))
	}
	if x.zipped() && !x.format().Appends {
		return fmt.Errorf("FILE must not end with %s: %s files are compressed already", zippedName, x.Format)
	}
	if tables := exporter.Tables(x.subject().Kind); x.Table != "" && !slices.Contains(tables, x.Table) {
		return fmt.Errorf("--table must be one of %s", joined(tables))
	}
	return nil
}

// zippedName ends the names of files that are compressed.
const zippedName = ".gz"

// zipped reports whether the file is compressed.
func (x *exportRows) zipped() bool { return strings.HasSuffix(x.File, zippedName) }

// exportFormats lists the formats of exports.
func exportFormats() []exporter.Format {
	return []exporter.Format{exporter.NDJSON(), exporter.CSV(), parquet.Format()}
}

func (x *exportRows) toStdout() bool { return x.File == "" || x.File == "-" }

func (x *exportRows) format() (found exporter.Format) {
	for _, f := range exportFormats() {
		if f.Name == x.Format {
			found = f
		}
	}
	return found
}

func (x *exportRows) subject() store.Subject {
	switch {
	case x.Link != "":
		return store.Subject{Kind: store.KindLink, ID: x.Link}
	case x.Monitor != "":
		return store.Subject{Kind: store.KindSchedule, ID: x.Monitor}
	}
	return store.Subject{Kind: store.KindWebsite, ID: x.Website}
}

// Run exports the rows.
func (x *exportRows) Run(ctx context.Context, e environment) (err error) {
	source, closeSource, err := x.open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource(context.WithoutCancel(ctx))) }()
	subjects, err := source.Subjects(ctx)
	if err != nil {
		return err
	}
	of := x.subject()
	if !slices.Contains(subjects, of) {
		return fmt.Errorf("%s %q has no rows", of.Kind, of.ID)
	}
	cfg := exporter.Config{Source: source, Subject: of, Table: x.Table, From: x.From.Time}
	if !x.To.IsZero() {
		cfg.To = x.To.AddDate(0, 0, 1)
	}
	return x.withProfiles(ctx, e, func(from exporter.Profiles) error {
		cfg.Profiles = from
		if x.toStdout() {
			return x.toOutput(ctx, e, cfg)
		}
		return x.toFile(ctx, e, cfg)
	})
}

// withProfiles calls run with the profiles to export, nil if there are none.
func (x *exportRows) withProfiles(ctx context.Context, e environment, run func(exporter.Profiles) error) error {
	if !x.Profiles || x.Website == "" || x.Table != "" || x.format().OneTable {
		return run(nil)
	}
	if x.Meta == "" {
		exists, err := install.Exists(x.Data, install.RecordsFile)
		if err != nil {
			return err
		}
		if !exists {
			_, _ = fmt.Fprintf(e.errs, "exporting without profiles: %s does not exist; name the records with --data or --meta\n",
				clean(filepath.Join(x.Data, install.RecordsFile)))
			return run(nil)
		}
	}
	r := records{dataFlags: dataFlags{Data: x.Data, Meta: x.Meta}}
	return r.read(ctx, e, func(m *meta.Store) error { return run(m) })
}

// toOutput writes the export to standard output.
func (x *exportRows) toOutput(ctx context.Context, e environment, cfg exporter.Config) error {
	after, err := exporter.ParseCursor(x.After)
	if err != nil {
		return fmt.Errorf("--after %w", err)
	}
	cfg.After, cfg.Tell = after, exportProgress(e)
	out := bufio.NewWriterSize(e.out, exportBuffer)
	_, err = x.write(ctx, cfg, exporter.Target{To: out, Continues: x.After != ""})
	return errors.Join(err, out.Flush())
}

// write writes the rows of cfg to a target.
func (x *exportRows) write(ctx context.Context, cfg exporter.Config, to exporter.Target) (exporter.Progress, error) {
	to.RawTexts, to.BOM = !x.EscapeFormulas, x.BOM
	export, err := exporter.New(ctx, cfg)
	if err != nil {
		return exporter.Progress{}, err
	}
	return export.Write(ctx, x.format(), to)
}

const exportBuffer = 1 << 20

// An exportState is the content of the file beside an unfinished export.
type exportState struct {
	Export string `json:"export"` // the options, which must be the same
	Bytes  int64  `json:"bytes"`  // of the unfinished file, up to After
	Rows   int64  `json:"rows"`
	After  string `json:"after"`
}

// options returns a text that differs for exports with other content.
func (x *exportRows) options() string {
	of := x.subject()
	return fmt.Sprintf("%s %q table %q from %s to %s as %s, formulas escaped: %v, byte order mark: %v, profiles: %v",
		of.Kind, of.ID, x.Table, x.From.Format(time.DateOnly), x.To.Format(time.DateOnly), x.Format, x.EscapeFormulas,
		x.BOM, x.Profiles)
}

// toFile writes the export to a file beside File, from where an earlier call ended, and renames it.
func (x *exportRows) toFile(ctx context.Context, e environment, cfg exporter.Config) error {
	if _, err := os.Stat(x.File); err == nil && !x.Force {
		return fmt.Errorf("%s exists; remove it, or use --force", x.File)
	}
	part := x.File + ".part"
	state, err := x.state(part + ".json")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // closed below, unless there was an error
	if info, err := file.Stat(); err != nil || info.Size() < state.Bytes {
		state = exportState{Export: x.options()} // the file lost bytes
	}
	if err := file.Truncate(state.Bytes); err != nil {
		return err
	}
	if _, err := file.Seek(state.Bytes, io.SeekStart); err != nil {
		return err
	}
	if cfg.After, err = exporter.ParseCursor(state.After); err != nil {
		return fmt.Errorf("%s.json: after %w", part, err)
	}
	before := state.Rows
	count := &counting{to: file, bytes: state.Bytes}
	out := bufio.NewWriterSize(count, exportBuffer)
	body, flush := io.Writer(out), out.Flush
	if x.zipped() {
		z := gzip.NewWriter(out)
		body = z
		flush = func() error { // ends a member of the file, behind which a later call can continue
			err := errors.Join(z.Close(), out.Flush())
			z.Reset(out)
			return err
		}
	}
	tell := exportProgress(e)
	cfg.Tell = func(p exporter.Progress) {
		if x.format().Appends && flush() == nil { // the next write returns its error
			state.Bytes, state.Rows, state.After = count.bytes, before+p.Rows, p.After.String()
			_ = x.save(part+".json", &state) // the next call then continues from an earlier place
		}
		p.Rows, p.Total = p.Rows+before, p.Total+before
		tell(p)
	}
	done, err := x.write(ctx, cfg, exporter.Target{To: body, Continues: !cfg.After.IsZero()})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return fmt.Errorf("%w; the same command continues", err)
	}
	if err := errors.Join(file.Sync(), file.Close(), os.Rename(part, x.File)); err != nil {
		return err
	}
	if err := os.Remove(part + ".json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = fmt.Fprintf(e.out, "exported: %d rows to %s\n", before+done.Rows, clean(x.File))
	return err
}

// state reads how far an earlier call came.
func (x *exportRows) state(path string) (exportState, error) {
	fresh := exportState{Export: x.options()}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	var found exportState
	if err := json.Unmarshal(text, &found); err != nil {
		return fresh, fmt.Errorf("%s: %w", path, err)
	}
	if found.Export != fresh.Export {
		return fresh, fmt.Errorf("%s.part belongs to another export (%s); remove it and %s, or choose another file",
			x.File, clean(found.Export), path)
	}
	return found, nil
}

func (x *exportRows) save(path string, s *exportState) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, text)
}

// counting counts the bytes that are written.
type counting struct {
	to    io.Writer
	bytes int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

// exportProgress returns a function that writes a line about the progress every two seconds.
func exportProgress(e environment) func(exporter.Progress) {
	shown := e.now()
	return func(p exporter.Progress) {
		if at := e.now(); at.Sub(shown) >= linePause {
			shown = at
			_, _ = fmt.Fprintf(e.errs, "exporting: %3d %%, %d of %d rows\n", p.Rows*100/max(p.Total, 1), p.Rows,
				p.Total)
		}
	}
}
