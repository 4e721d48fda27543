package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/intake"
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
	// Format is the name of the format of all sources, see [Formats]. Empty means that each source's first lines decide.
	Format string
	// Map names the columns of json and csv: its keys are fields, see [Fields], and its values are columns. A column within an
	// object of JSON is written with dots, such as request.url. A field that is not in Map has a column of its own name.
	Map map[string]string
	// AnyHost also takes requests for other hosts than the website's domain and its subdomains.
	AnyHost bool
	Geo     track.Geo // finds countries by address; nil means that only sources that name countries have them

	// Progress is a file to resume from, see the package comment. Empty means that the import cannot be resumed. Only one import
	// at a time may use it.
	Progress string
	// Again imports sources that were imported before again. A store drops rows that it received less than 7 days ago.
	Again bool
	// Exists reports whether a link or a monitor exists. Rows of others are skipped. Nil means that all exist. Only rows of
	// the format sightline belong to links and monitors.
	Exists func(ctx context.Context, of store.Subject) (bool, error)

	Rows   int              // rows to store at a time; 0 means 10 000
	Now    func() time.Time // nil means time.Now
	Report func(Progress)   // called after every Rows records; nil means never
}

// Progress says how far an import is.
type Progress struct {
	Source  string
	Index   int   // of the source, from 0
	Sources int   // number of sources
	Read    int64 // bytes of the source as stored, compressed or not
	Size    int64 // of the source; 0 means unknown
	Records int64 // of all sources
	Taken   int64
	Again   bool // the records were stored before the import was interrupted; they are only read
}

// ErrBusy: another import uses the same progress file.
var ErrBusy = errors.New("importer: another import of this website is running")

// Run imports sources. Sources with times are imported in the order of their first record, so that sessions continue from one file
// to the next.
//
// The error is about the configuration or the target; the report is then about what was imported before. Problems of a source do
// not stop the import: they are in the report. If ctx ends, Run returns its error after the rows that are being stored.
func Run(ctx context.Context, cfg Config, sources []Source) (Report, error) {
	if err := cfg.check(); err != nil {
		return Report{}, err
	}
	unlock, err := lock(cfg.Progress)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	j, err := openJournal(cfg.Progress, cfg.Website.ID, cfg.Again)
	if err != nil {
		return Report{}, err
	}
	people, err := newVisitors(j.Secret, cfg.Website.ID)
	if err != nil {
		return Report{}, err
	}
	agents, err := intake.NewAgents()
	if err != nil {
		return Report{}, err
	}
	r := &run{
		cfg: cfg, journal: j, total: len(sources),
		tally: tally{skips: map[Reason]*Skip{}},
		maker: maker{website: cfg.Website, anyHost: cfg.AnyHost, geo: cfg.Geo, now: cfg.Now(), agents: agents, people: people, domain: address.Host(cfg.Website.Domain)},
		sink:  newSink(ctx, cfg.Target, j, cfg.Rows),
		known: map[store.Subject]bool{},
	}
	err = r.all(ctx, inOrder(sources, &cfg))
	err = errors.Join(err, r.sink.close())
	if err == nil {
		err = j.finish()
	}
	r.tally.report.Stored, r.tally.report.Repeated = int64(r.sink.written.Stored), int64(r.sink.written.Repeated)
	return r.tally.finish(), err
}

func (c *Config) check() error {
	var faults []error
	if c.Target == nil {
		faults = append(faults, errors.New("importer: Config.Target is required"))
	}
	if c.Website.ID == "" {
		faults = append(faults, errors.New("importer: Config.Website.ID is required"))
	}
	if c.Rows < 0 {
		faults = append(faults, fmt.Errorf("importer: Config.Rows must not be negative: %d", c.Rows))
	}
	if c.Format != "" && formatNamed(c.Format) == nil {
		faults = append(faults, fmt.Errorf("importer: Config.Format: unknown format %q", c.Format))
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

// A run is one call of Run.
type run struct {
	cfg     Config
	journal *journal
	tally   tally
	maker   maker
	sink    *sink
	known   map[store.Subject]bool // results of Config.Exists
	total   int
}

func (r *run) all(ctx context.Context, sources []Source) error {
	for i := range sources {
		s := &stream{run: r, source: &sources[i], index: i, report: SourceReport{Name: sources[i].Name}}
		err := s.read(ctx)
		r.tally.report.Sources = append(r.tally.report.Sources, s.report)
		if err != nil {
			return err
		}
	}
	return nil
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
