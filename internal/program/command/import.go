package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// importEvents imports files into a website.
type importEvents struct {
	records
	pepperFlags

	Clickhouse dsn    `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE" help:"ClickHouse, if events are there and not in the data folder."`
	Tables     tables `embed:"" prefix:"clickhouse-"`

	Website       string            `required:"" placeholder:"ID" help:"Id of the website that the events belong to."`
	Format        string            `enum:"auto,${formats}" default:"auto" help:"Format of all files: auto (by the first lines of each file), ${formats}."`
	Map           map[string]string `placeholder:"FIELD=COLUMN" mapsep:"none" help:"Column of a field, such as time=created_at; may be repeated. Without --format and --log-format, the files are then JSON or CSV. A column within an object has dots. Fields: ${fields}."`
	LogFormat     string            `placeholder:"FORM" help:"Form of the lines of all files, in the notation of nginx's log_format or Apache's LogFormat."`
	Timezone      string            `placeholder:"ZONE" help:"Zone of times without one in json, csv, haproxy and with --log-format, such as Europe/Berlin. Default: UTC."`
	AnyHost       bool              `help:"Also take requests for other hosts than the website's domain and its subdomains."`
	Geoip         string            `env:"SIGHTLINE_GEOIP" placeholder:"FILE" help:"File in MaxMind format with the country and city of addresses, as of serve."`
	Again         bool              `help:"Also import files that were imported before, for example after their events were removed."`
	RestoreErased bool              `help:"Also import what the files have of persons who were erased."`
	DryRun        bool              `help:"Store nothing. Print what would be stored: rows and people by day, sources, skipped records, and days that have events already."`
	Rows          int               `default:"10000" help:"Number of rows to hold in memory and store at a time."`

	Files []string `arg:"" optional:"" name:"file" help:"Files or patterns; plain, or compressed by gzip, zstd, bzip2 or xz. - or no file means standard input."`
}

func (*importEvents) Help() string {
	return `The command can be stopped or killed at any time: the same command continues, and no event is stored twice. A server may be running on the data folder. The report lists skipped lines by reason. See docs/import.md.`
}

func (i *importEvents) Validate() error {
	if i.Rows < 1 {
		return errors.New("--rows must be at least 1")
	}
	if i.LogFormat != "" && i.Format != "auto" {
		return errors.New("use either --format or --log-format")
	}
	if _, err := time.LoadLocation(i.Timezone); err != nil || i.Timezone == "Local" {
		return fmt.Errorf("--timezone must be a zone such as Europe/Berlin, not %q", i.Timezone)
	}
	return nil
}

// formatNames lists the formats of files.
func formatNames() string {
	return joined(mapped(importer.Formats(), func(f importer.Format) string { return f.Name }))
}

// An incompleteError says that an import ended, but left something out.
type incompleteError struct{}

func (*incompleteError) Error() string {
	return "some files or records could not be imported; see the report"
}

// Run imports the files and writes the report.
func (i *importEvents) Run(ctx context.Context, e environment) error {
	sources, err := i.sources()
	if err != nil {
		return err
	}
	if err := i.needData(); err != nil {
		return err
	}
	pepper, err := i.pepper(ctx, e, i.PepperFile)
	if err != nil {
		return err
	}
	return i.with(ctx, e, pepper, func(m *meta.Store) error { return i.into(ctx, e, m, sources) })
}

func (i *importEvents) sources() ([]importer.Source, error) {
	if len(i.Files) == 0 || len(i.Files) == 1 && i.Files[0] == "-" {
		if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return nil, errors.New("no file: name files, or send their content to standard input")
		}
		return []importer.Source{importer.Stream("standard input", os.Stdin)}, nil
	}
	return importer.Files(i.Files...)
}

func (i *importEvents) into(ctx context.Context, e environment, m *meta.Store, sources []importer.Source) (err error) {
	website, err := m.Website(ctx, i.Website)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("website %q does not exist; see websites list, or create it with websites add --id",
			i.Website)
	} else if err != nil {
		return err
	}
	target, closeTarget, err := i.target(ctx, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTarget(context.WithoutCancel(ctx))) }()
	cfg := importer.Config{
		Target: target, Website: website, Map: i.Map, AnyHost: i.AnyHost, Again: i.Again, DryRun: i.DryRun,
		Rows: i.Rows, Now: e.now, LogFormat: i.LogFormat,
		Pepper: m.Pepper(), Salts: m, Profiles: m, Imports: m, Erased: m,
		RestoreErased: i.RestoreErased,
		Progress:      importProgress(i.Data, i.Website, i.Clickhouse != ""),
		Exists:        func(ctx context.Context, of store.Subject) (bool, error) { return exists(ctx, m, of) },
	}
	if i.Format != "auto" {
		cfg.Format = i.Format
	}
	if cfg.TimeZone, err = time.LoadLocation(i.Timezone); err != nil { // an empty name is UTC
		return fmt.Errorf("--timezone: %w", err)
	}
	if i.Geoip != "" {
		file, err := geoip.Open(i.Geoip)
		if err != nil {
			return fmt.Errorf("--geoip: %w", err)
		}
		cfg.Geo = file
	}
	bar := newImportBar(e)
	cfg.Report = bar.show
	report, err := importer.Run(ctx, cfg, sources)
	bar.end()
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before the end; the same command continues from here: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("%w; the same command continues from here", err)
	}
	return i.show(e, report)
}

// importProgress returns the path of the file with the progress, one for each website and place of events.
func importProgress(data, website string, inClickHouse bool) string {
	place := ""
	if inClickHouse {
		place = "clickhouse-"
	}
	return filepath.Join(data, "import-"+place+url.PathEscape(website)+".json")
}

// target opens the store of events: ClickHouse, the server that runs on the data folder, or its file.
func (i *importEvents) target(ctx context.Context, e environment) (importer.Target, func(context.Context) error,
	error) {
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	if err := install.CreateFolder(i.Data); err != nil {
		return nil, nil, err
	}
	if i.Clickhouse != "" {
		o := i.Tables.options(i.Clickhouse)
		o.Now, o.Logger = e.now, log
		s, err := install.OpenClickHouse(ctx, o)
		if err != nil {
			return nil, nil, fmt.Errorf("--clickhouse: %w", err)
		}
		return s, s.Close, nil
	}
	if running := control.Dial(ctx, filepath.Join(i.Data, install.SocketFile)); running != nil {
		return running, running.Close, nil
	}
	s, err := install.OpenFile(ctx, i.Data, embedded.Config{Now: e.now, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// exists reports whether a link or a monitor exists.
func exists(ctx context.Context, m *meta.Store, of store.Subject) (bool, error) {
	var err error
	switch of.Kind {
	case store.KindLink:
		_, err = m.Link(ctx, of.ID)
	case store.KindSchedule:
		_, err = m.Monitor(ctx, of.ID)
	default:
		_, err = m.Website(ctx, of.ID)
	}
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// maxShown is the number of files that the report lists; those with problems are always listed.
const maxShown = 20

// show writes the report. It returns an incompleteError if something was left out that may be an event.
func (i *importEvents) show(e environment, r importer.Report) error {
	write := writeReport
	if i.JSON {
		write = func(to io.Writer, r importer.Report) error { return writeJSON(to, r) }
	}
	if err := write(e.out, r); err != nil {
		return err
	}
	if !r.Complete() {
		return &incompleteError{}
	}
	return nil
}

func writeReport(to io.Writer, r importer.Report) error {
	var b strings.Builder
	hidden := 0
	for n, s := range r.Sources {
		switch {
		case s.Problem != "" && s.Records == 0:
			fmt.Fprintf(&b, "%s: not imported: %s\n", clean(s.Name), clean(s.Problem))
		case s.Problem != "":
			fmt.Fprintf(&b, "%s: %s, %d of %d records taken; %s\n", clean(s.Name), s.Format, s.Taken, s.Records,
				clean(s.Problem))
		case n >= maxShown:
			hidden++
		case s.Known:
			fmt.Fprintf(&b, "%s: imported before\n", clean(s.Name))
		case s.Format == "":
			fmt.Fprintf(&b, "%s: empty\n", clean(s.Name))
		default:
			fmt.Fprintf(&b, "%s: %s, %d of %d records taken\n", clean(s.Name), s.Format, s.Taken, s.Records)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "and %d more files\n", hidden)
	}
	if r.Stored > 0 {
		fmt.Fprintf(&b, "import %s\n", r.Import)
	}
	fmt.Fprintf(&b, "taken: %d of %d records, as %d rows\n", r.Taken, r.Records, r.Rows)
	if r.Plan != nil {
		if err := writePlan(&b, r.Plan); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(&b, "stored now: %d rows", r.Stored)
		if r.Repeated > 0 {
			fmt.Fprintf(&b, "; %d were stored before", r.Repeated)
		}
		if r.Profiles > 0 {
			fmt.Fprintf(&b, "; %d profiles", r.Profiles)
		}
		b.WriteString("\n")
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "skipped: %d %s\n", s.Count, s.Reason)
		for _, x := range s.First {
			fmt.Fprintf(&b, "  %s:%d: %s", clean(x.Source), x.Number, clean(x.Text))
			if x.Detail != "" {
				fmt.Fprintf(&b, " (%s)", clean(x.Detail))
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// plannedDay is a line of a plan.
type plannedDay struct{ importer.PlannedDay }

func (d plannedDay) cells() []cell {
	return []cell{{"DAY", d.Day}, {"ROWS", fmt.Sprint(d.Rows)}, {"PEOPLE", fmt.Sprint(d.People)},
		{"STORED BEFORE", fmt.Sprint(d.Stored)}}
}

// plannedSource is a line of a plan.
type plannedSource struct{ importer.PlannedSource }

func (s plannedSource) cells() []cell {
	return []cell{{"SOURCE", cmp.Or(clean(s.Name), "(none)")}, {"PAGEVIEWS", fmt.Sprint(s.Pageviews)}}
}

// writePlan writes what an import would store.
func writePlan(to io.Writer, p *importer.Plan) error {
	what := "these rows"
	if p.Profiles > 0 {
		what = fmt.Sprintf("%d profiles and these rows", p.Profiles)
	}
	if _, err := fmt.Fprintf(to, "nothing was stored; without --dry-run %s would be:\n", what); err != nil {
		return err
	}
	if err := table(to, mapped(p.Days, func(d importer.PlannedDay) plannedDay { return plannedDay{d} })); err != nil {
		return err
	}
	return table(to, mapped(p.Sources, func(s importer.PlannedSource) plannedSource { return plannedSource{s} }))
}
