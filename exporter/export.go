package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// DefaultRows is the default of Config.Rows.
const DefaultRows = 20_000

// Config configures [New].
type Config struct {
	Source  store.Store   // required
	Subject store.Subject // required
	// Table is the name of the only table to export, see [Tables]. Empty means all tables of the subject.
	Table string
	// From is the time of the first rows, and To the time behind the last ones. The zero time means no bound.
	From, To time.Time
	// After continues an export: rows up to it are left out. The other fields must be those of the first part.
	After Cursor
	// Profiles has the profiles of a website. They follow the rows in NDJSON, unless Table is set. From and To do not
	// apply to them. Nil means that the export has no profiles.
	Profiles Profiles
	Rows     int            // rows to hold in memory and to read at a time; 0 means DefaultRows
	Tell     func(Progress) // called after every piece of rows; nil means never
}

// Progress says how far an export is.
type Progress struct {
	Rows  int64 // rows and profiles that were written
	Total int64 // about how many rows there are
	After Cursor
}

// Profiles has the profiles of websites. A meta.Store is Profiles.
type Profiles interface {
	// ProfilesAfter returns at most limit profiles of a website with an id above after, ordered by id.
	ProfilesAfter(ctx context.Context, website, after string, limit int) ([]store.Profile, error)
}

// Tables returns the names of the tables with rows of a kind of subject, in the order of an export.
func Tables(kind store.SubjectKind) (names []string) {
	for _, t := range schema.TablesOf(kind) {
		names = append(names, t.ID.String())
	}
	return names
}

// An Export is a list of pieces to read.
type Export struct {
	cfg    Config
	tables []schema.TableID
	parts  []part
	total  int64
}

// A part has consecutive days of a table with at most Config.Rows rows, or one day with more.
type part struct {
	table *scan.Table
	scan.Stretch

	rows int64
}

// A ConfigError says which field of Config is wrong.
type ConfigError struct {
	Field   string
	Message string
}

// Error implements error.
func (e *ConfigError) Error() string { return "exporter: Config." + e.Field + " " + e.Message }

// New counts the rows of an export by day. Its error is about cfg, with a [ConfigError] for each fault, or about the
// store.
func New(ctx context.Context, cfg Config) (*Export, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	x := &Export{cfg: cfg}
	for _, t := range scan.Tables() {
		if t.ID.Of() != cfg.Subject.Kind || cfg.Table != "" && t.Name != cfg.Table {
			continue
		}
		x.tables = append(x.tables, t.ID)
		if err := x.plan(ctx, &t); err != nil {
			return nil, fmt.Errorf("exporter: counting %s: %w", t.Name, err)
		}
	}
	return x, nil
}

func (c *Config) check() error {
	var faults []error
	fault := func(field, message string) { faults = append(faults, &ConfigError{field, message}) }
	if c.Source == nil {
		fault("Source", "is required")
	}
	names := Tables(c.Subject.Kind)
	switch {
	case c.Subject.ID == "" || names == nil:
		fault("Subject", "must have an id and a kind")
	case c.Table != "" && !slices.Contains(names, c.Table):
		fault("Table", fmt.Sprintf("must be one of %q, not %q", names, c.Table))
	case c.After.table == rowjson.Profiles && c.profiles():
	case !c.After.IsZero() && (!slices.Contains(names, c.After.table) || c.Table != "" && c.After.table != c.Table):
		fault("After", "is a position in a table that the export does not have")
	}
	if !c.From.IsZero() && !c.To.IsZero() && !c.From.Before(c.To) {
		fault("To", "must be after From")
	}
	if c.Rows < 0 {
		fault("Rows", fmt.Sprintf("must not be negative: %d", c.Rows))
	}
	c.Rows = cmp.Or(c.Rows, DefaultRows)
	return errors.Join(faults...)
}

// profiles reports whether profiles follow the rows.
func (c *Config) profiles() bool {
	return c.Profiles != nil && c.Table == "" && c.Subject.Kind == store.KindWebsite
}

// plan adds the parts of a table.
func (x *Export) plan(ctx context.Context, t *scan.Table) error {
	whole := scan.Always(x.cfg.Subject)
	if !x.cfg.From.IsZero() {
		whole.From = scan.Edge{Time: x.cfg.From.UnixMilli()}
	}
	if !x.cfg.To.IsZero() {
		whole.To = scan.Edge{Time: x.cfg.To.UnixMilli()}
	}
	if after := x.cfg.After; !after.IsZero() {
		switch of, known := tableNamed(after.table); {
		case !known, t.ID < of: // profiles are behind all tables
			return nil
		case t.ID == of && after.time >= whole.From.Time:
			whole.From = scan.Edge{Time: after.time, ID: after.id, After: true}
		}
	}
	if whole.From.Time >= whole.To.Time {
		return nil
	}
	counts, err := scan.Counts(ctx, x.cfg.Source, t, whole)
	if err != nil {
		return err
	}
	first := len(x.parts)
	for _, day := range slices.Sorted(maps.Keys(counts)) {
		rows := counts[day]
		x.total += rows
		if last := len(x.parts) - 1; last >= first && x.parts[last].rows+rows <= int64(x.cfg.Rows) {
			x.parts[last].rows += rows
			x.parts[last].To = within(whole, scan.Day(x.cfg.Subject, day)).To
			continue
		}
		x.parts = append(x.parts, part{t, within(whole, scan.Day(x.cfg.Subject, day)), rows})
	}
	return nil
}

// within returns the rows of a day that are in whole.
func within(whole, day scan.Stretch) scan.Stretch {
	if whole.From.Time >= day.From.Time {
		day.From = whole.From
	}
	if whole.To.Time < day.To.Time {
		day.To = whole.To
	}
	return day
}

// Total returns about how many rows the export has: rows may come and go before they are read.
func (x *Export) Total() int64 { return x.total }
