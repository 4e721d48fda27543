package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// A Target is a store that an import writes to.
type Target interface {
	store.Store
	store.Writer
}

// Config configures [Run].
type Config struct {
	Target  Target        // required
	Website store.Website // required: its ID; its Domain tells referrers of other websites from its own
	// Pepper is required. The ids that other programs gave to visitors, sessions and events are hashed with it.
	// With the pepper of the server, erasing finds the visitors by these ids.
	Pepper auth.Pepper
	// Format is the name of the format of all sources, see [Formats]. Empty means that each source's first lines
	// decide.
	Format string
	// LogFormat is the form of the lines of all sources, in the notation of nginx's log_format or Apache's LogFormat.
	// It excludes Format.
	LogFormat string
	// Map names the columns of fields: its keys are fields, see [Fields], and its values are columns. A column within
	// an object of JSON is written with dots, such as request.url. In the formats json and csv, a field that is not in
	// Map has a column with its name. In other formats with columns, those of Map replace those of the format.
	// Without a Format and a LogFormat, Map means that all sources are json or csv.
	Map map[string]string
	// TimeZone is the zone of times without one in the formats json, csv and haproxy and with a LogFormat. Nil means
	// UTC. If a clock was set back, a time that occurred twice counts as one of both.
	TimeZone *time.Location
	// AnyHost also takes requests for other hosts than the website's domain and its subdomains.
	AnyHost bool
	Geo     track.Geo // finds countries by address; nil means that only sources that name countries have them

	// Progress is a file to resume from, see the package comment. Empty means that the import cannot be resumed.
	// Only one import at a time may use it.
	Progress string
	// Salts hide what the next import needs to continue the visitors and sessions of this one, until the end of the
	// next day. It is stored beside Progress. Nil means that each import has visitors and sessions of its own.
	Salts Salts
	// Again imports sources that were imported before again. Rows that are still stored are not stored twice.
	Again bool
	// DryRun stores nothing, neither rows nor progress. Report.Plan then says what the import would store. It needs
	// memory for the ids of visitors, some 50 bytes for each visitor of a day.
	DryRun bool
	// Exists reports whether a link or a monitor exists. Rows of others are skipped. Nil means that all exist. Only
	// rows of the format sightline belong to links and monitors.
	Exists func(ctx context.Context, of store.Subject) (bool, error)
	// Profiles stores the profiles of exports. Nil means that they are skipped.
	Profiles Profiles
	// Imports remembers the import, so that it can be listed and taken back. Nil means that only Report.Import has its
	// id. A meta.Store is Imports.
	Imports store.Imports

	// Erased knows the persons who were erased from the website; their records are skipped. Nil means nobody. A
	// meta.Store is Erased. Persons in access logs have no ids by which they could be recognised.
	Erased store.Erasures
	// RestoreErased also imports records of persons who were erased.
	RestoreErased bool

	Rows   int              // rows to store at a time; 0 means 10 000
	Now    func() time.Time // nil means time.Now
	Report func(Progress)   // called after every Rows records; nil means never
}

// Progress says how far an import is.
type Progress struct {
	Source  string // of the latest record
	Ended   int    // number of sources that were read to their end
	Sources int    // number of sources
	Read    int64  // bytes of sources as stored, compressed or not
	Size    int64  // of the sources that are read; 0 means unknown
	Records int64
	Taken   int64
	Again   bool // the records were stored before the import was interrupted; they are only read
}

// ErrBusy: another import uses the same progress file.
var ErrBusy = errors.New("importer: another import of this website is running")

// Run imports sources. It reads all of them together, in the order of time, so that a visitor has the same sessions
// whatever sources the requests stand in.
//
// The error is about the configuration or the target; the report is then about what was imported before. Problems
// of a source do not stop the import: they are in the report. If ctx ends, Run returns its error after the rows
// that are being stored.
func Run(ctx context.Context, cfg Config, sources []Source) (Report, error) {
	if err := cfg.check(); err != nil {
		return Report{}, err
	}
	if !cfg.DryRun {
		unlock, err := lock(cfg.Progress)
		if err != nil {
			return Report{}, err
		}
		defer unlock()
	}
	r, err := newRun(ctx, cfg, len(sources))
	if err != nil {
		return Report{}, err
	}
	r.note(ctx, sources)
	err = r.all(ctx, sources)
	err = errors.Join(err, r.sink.close())
	err = errors.Join(err, r.noteEnd(context.WithoutCancel(ctx)))
	switch {
	case err != nil:
	case cfg.DryRun:
		r.tally.report.Plan, err = r.sink.plan.plan(ctx, cfg.Target, cfg.Website.ID)
	default:
		err = r.journal.finish(ctx, &cfg, r.maker.people)
	}
	r.tally.report.Stored, r.tally.report.Repeated = int64(r.sink.written.Stored), int64(r.sink.written.Repeated)
	r.tally.report.Profiles = r.sink.restored
	if n := r.sink.refused; n > 0 {
		r.tally.report.Taken -= n
		r.tally.report.Rows -= n
		r.tally.skips[TooMany] = &Skip{Reason: TooMany, Count: n}
	}
	return r.tally.finish(), err
}

// note has the import noted before its first row is stored.
func (r *run) note(ctx context.Context, sources []Source) {
	if r.cfg.DryRun {
		return
	}
	r.tally.report.Import = r.journal.Import
	r.sink.note = func() error {
		i := store.Import{Website: r.cfg.Website.ID}
		for _, s := range sources {
			i.Files = append(i.Files, s.Name)
		}
		return r.noteImport(ctx, i)
	}
}

// noteEnd notes what the import stored, if it stored anything.
func (r *run) noteEnd(ctx context.Context) error {
	if !r.sink.noted {
		return nil
	}
	i := store.Import{Website: r.cfg.Website.ID, Stored: int64(r.sink.written.Stored),
		Repeated: int64(r.sink.written.Repeated)}
	for of, exists := range r.known {
		if exists {
			i.Others = append(i.Others, of)
		}
	}
	return r.noteImport(ctx, i)
}

func (r *run) noteImport(ctx context.Context, i store.Import) error {
	if r.cfg.Imports == nil {
		return nil
	}
	i.ID = r.journal.Import
	if err := r.cfg.Imports.NoteImport(ctx, i); err != nil {
		return fmt.Errorf("importer: noting the import: %w", err)
	}
	return nil
}

func newRun(ctx context.Context, cfg Config, sources int) (*run, error) {
	j, err := openJournal(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	people, err := newVisitors(j.Secret, cfg.Website.ID)
	if err == nil && j.file != "" {
		err = people.load(j.visitorsFile())
	}
	if err != nil {
		return nil, err
	}
	agents, err := intake.NewAgents()
	if err != nil {
		return nil, err
	}
	named, err := visitorid.NewImporter(cfg.Pepper, cfg.Website.ID)
	if err != nil {
		return nil, err
	}
	erased, err := readErased(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	var own *format
	if cfg.LogFormat != "" {
		if own, err = ownPattern(&cfg); err != nil {
			return nil, err
		}
	}
	return &run{
		cfg: cfg, own: own, journal: j, total: sources,
		tally: tally{skips: map[Reason]*Skip{}, report: Report{Sources: make([]SourceReport, sources)}},
		maker: maker{
			website: cfg.Website, domain: address.Host(cfg.Website.Domain), anyHost: cfg.AnyHost,
			geo: cfg.Geo, agents: agents, known: agent.NewNames(),
			now: cfg.Now(), clock: cfg.Now, people: people, ids: ids{named}, erased: erased,
		},
		sink:  newSink(ctx, &cfg, j),
		known: map[store.Subject]bool{},
	}, nil
}

func (c *Config) check() error {
	var faults []error
	if c.Target == nil {
		faults = append(faults, errors.New("importer: Config.Target is required"))
	}
	if c.Website.ID == "" {
		faults = append(faults, errors.New("importer: Config.Website.ID is required"))
	}
	if c.Pepper.IsZero() {
		faults = append(faults, errors.New("importer: Config.Pepper is required"))
	}
	if c.Rows < 0 {
		faults = append(faults, fmt.Errorf("importer: Config.Rows must not be negative: %d", c.Rows))
	}
	if c.LogFormat != "" {
		faults = append(faults, c.checkLogFormat())
	}
	if c.Format != "" && formatNamed(c.Format) == nil {
		faults = append(faults, fmt.Errorf("importer: Config.Format: unknown format %q", c.Format))
	} else if c.Format != "" && formatNamed(c.Format).parse != nil && len(c.Map) > 0 {
		faults = append(faults, fmt.Errorf("importer: Config.Map: the format %s has no columns", c.Format))
	}
	faults = append(faults, checkMap(c.Map))
	if c.Rows == 0 {
		c.Rows = 10_000
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return errors.Join(faults...)
}

func (c *Config) checkLogFormat() error {
	if c.Format != "" {
		return errors.New("importer: Config.Format and Config.LogFormat exclude each other")
	}
	if _, err := ownPattern(c); err != nil {
		return fmt.Errorf("importer: Config.LogFormat: %w", err)
	}
	return nil
}

// zone returns the zone of times without one.
func (c *Config) zone() *time.Location {
	if c.TimeZone == nil {
		return time.UTC
	}
	return c.TimeZone
}

// A run is one call of Run.
type run struct {
	cfg     Config
	own     *format // of Config.LogFormat; nil without one
	journal *journal
	tally   tally
	maker   maker
	sink    *sink
	known   map[store.Subject]bool // results of Config.Exists
	total   int                    // number of sources
	ended   int                    // number of sources that ended

	held       int   // bytes of sources that are held in memory
	size       int64 // of all sources
	readBefore int64 // bytes of the sources that are closed
	seen       int   // records since the last progress
}

func (r *run) all(ctx context.Context, sources []Source) error {
	var ready []*stream
	for i := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &stream{run: r, source: &sources[i], index: i, report: &r.tally.report.Sources[i]}
		s.report.Name = s.source.Name
		if s.prepare() {
			ready = append(ready, s)
			r.size += s.source.Size
		} else {
			r.ended++
		}
	}
	m := newMerge(ready)
	defer m.close()
	return m.run(ctx)
}

// spare reports whether n more bytes may be held in memory.
func (r *run) spare(n int) bool {
	if r.held+n > maxHeld {
		return false
	}
	r.held += n
	return true
}

// sourceEnded closes a source.
func (s *stream) sourceEnded() {
	_ = s.close() // only read
	s.run.ended++
}

// tell reports the progress after every Config.Rows records.
func (r *run) tell(s *stream, again bool) {
	if r.seen++; r.cfg.Report == nil || r.seen < r.cfg.Rows {
		return
	}
	r.seen = 0
	t := &r.tally.report
	p := Progress{
		Source: s.source.Name, Ended: r.ended, Sources: r.total, Size: r.size, Read: r.readBefore,
		Records: t.Records, Taken: t.Taken, Again: again,
	}
	if s.in != nil {
		p.Read += s.in.raw.n
	}
	r.cfg.Report(p)
}

// exists is Config.Exists, which is called once for each subject.
func (r *run) exists(ctx context.Context, of store.Subject) (bool, error) {
	if r.cfg.Exists == nil {
		return true, nil
	}
	found, ok := r.known[of]
	if ok {
		return found, nil
	}
	found, err := r.cfg.Exists(ctx, of)
	if err == nil {
		r.known[of] = found
	}
	return found, err
}
