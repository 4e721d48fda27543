package httpapi

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
)

// exportRoutes returns the route that exports rows.
func (a *api) exportRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/export", Class: auth.ClassExport,
			May:   auth.ToExport(),
			Steps: steps{Allow: a.allowExport, Read: a.readExport, Answer: a.answerExport}},
			about: "Export the raw rows of a website, link or monitor", of: anySubject,
			off: func(cfg *Config) bool { return cfg.Export == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "exportRows", Tag: tagExports,
					Params: append(subjectParams()[:3], d.exportParams()...),
					About:  "The answer is sent in pieces, so its length is not known before. If it cannot be sent to its end, the connection breaks. The last line of NDJSON says that the export is complete.",
					Forms:  d.exportForms()}, errors: []code{codeNoSubject}}
			}},
	}
}

const (
	// ownerExports is the number of exports of one owner at a time. Further ones are refused.
	ownerExports = 2
	// exportReads is the number of exports that read the store at a time. Further ones wait, so that queries have the
	// rest of the store. An export that waits for its client does not read.
	exportReads = 2
	// exportRows is the number of rows in memory for each export that runs, and exportBytes what they may take.
	exportRows  = 2_000
	exportBytes = 8 << 20
)

// exports has the exports that run.
type exports struct {
	reads chan struct{} // has an item for each that reads

	mu      sync.Mutex
	running map[string]int // by owner
}

func newExports() *exports {
	return &exports{reads: make(chan struct{}, exportReads), running: map[string]int{}}
}

// begin takes one of the exports of the owner of r until the end of r.
func (e *exports) begin(r *front.Request) error {
	owner := r.Key().Owner
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running[owner] >= ownerExports {
		d := auth.Decision{Limit: ownerExports, Retry: time.Second, Reset: r.Now.Add(time.Second), Concurrent: true}
		return &front.LimitedError{Decision: d, Status: d.RateStatus(r.Now)}
	}
	e.running[owner]++
	r.OnEnd(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.running[owner]--; e.running[owner] == 0 {
			delete(e.running, owner)
		}
	})
	return nil
}

// A takingTurns store waits for a turn before each query, once it has turns.
type takingTurns struct {
	store.Store
	turns chan struct{}
}

// Query implements [store.Store].
func (s *takingTurns) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if s.turns == nil {
		return s.Store.Query(ctx, stmt)
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Store.Query(ctx, stmt)
}

// An exportRequest says what to export, and how.
type exportRequest struct {
	cfg    exporter.Config // without Source and Subject
	format exporter.Format
	raw    bool
	bom    bool
	names  bool // also export the names of profiles
}

// exportParams are the parameters of an export beside its subject.
var exportParams = []string{"format", "table", "startDate", "endDate", "after", "escapeFormulas", bomParam,
	profilesParam}

const profilesParam = "profiles"

// allowExport checks that the key may export the one website, link or monitor in the URL.
func (a *api) allowExport(ctx context.Context, r *front.Request, q *question) error {
	if err := a.findSubject(r, func() error { return a.readExport(ctx, r, q) }); err != nil {
		return err
	}
	return a.permitOn(ctx, r, r.Route.May, allRows+"an export has all rows")
}

// readExport decodes the URL of an export.
func (a *api) readExport(_ context.Context, r *front.Request, q *question) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	read := exportReader{values: values,
		formats: append([]exporter.Format{exporter.NDJSON(), exporter.CSV()}, a.cfg.ExportFormats...)}
	read.request(&q.export)
	read.profiles(&q.export, a.cfg.ExportProfiles != nil)
	if r.Resource.Kind != "" {
		if q.export.names && subject(r).Kind != store.KindWebsite {
			read.fault(profilesParam, "must be false, because only websites have profiles")
		}
		read.table(&q.export, exporter.Tables(subject(r).Kind))
	}
	known := slices.Clone(exportParams)
	for _, s := range subjects {
		known = append(known, s.param)
	}
	return append(read.bad, unknown(values, known...)...).Err()
}

// An exportReader reads the parameters of an export, and collects mistakes.
type exportReader struct {
	values  url.Values
	formats []exporter.Format
	bad     mistake.List
}

func (x *exportReader) fault(field, format string, args ...any) {
	x.bad.Add(field, fmt.Sprintf(format, args...))
}

func (x *exportReader) text(name string) string {
	text, bad := single(x.values, name)
	x.bad = append(x.bad, bad...)
	return text
}

// date returns the first instant of a UTC day, or the zero time if the parameter is absent or wrong.
func (x *exportReader) date(name string) time.Time {
	text := x.text(name)
	day, err := time.Parse(time.DateOnly, text)
	if text != "" && err != nil {
		x.fault(name, "must be a date such as 2026-03-01")
	}
	return day
}

func (x *exportReader) request(e *exportRequest) {
	var names []string
	name := x.text("format")
	for i, f := range x.formats {
		names = append(names, f.Name)
		if f.Name == name || name == "" && i == 0 {
			e.format = f
		}
	}
	if e.format.Name == "" {
		x.fault("format", "must be %s", mistake.Or(names...))
	}
	e.cfg.From = x.date("startDate")
	if e.cfg.To = x.date("endDate"); !e.cfg.To.IsZero() {
		if e.cfg.To = e.cfg.To.AddDate(0, 0, 1); !e.cfg.From.Before(e.cfg.To) {
			x.fault("endDate", "must not be before startDate")
		}
	}
	text := x.text("after")
	after, err := exporter.ParseCursor(text)
	if err != nil || !plausible(text) {
		x.fault("after", "must be the cursor of a mark, such as events:1764000000000:evt_1")
	}
	e.cfg.After = after
	bom, mistakes := bomOf(x.values)
	e.bom, x.bad = bom, append(x.bad, mistakes...)
	switch x.text("escapeFormulas") {
	case "", "true":
	case "false":
		e.raw = true
	default:
		x.fault("escapeFormulas", "must be true or false")
	}
}

// profiles reads whether the export has the names of profiles.
func (x *exportReader) profiles(e *exportRequest, can bool) {
	switch x.text(profilesParam) {
	case "", "false":
		return
	case "true":
		e.names = true
	default:
		x.fault(profilesParam, "must be true or false")
		return
	}
	switch {
	case !can:
		x.fault(profilesParam, "must be false, because this server has no profiles")
	case x.text("table") != "" || e.format.OneTable:
		x.fault(profilesParam, "must be false for an export of one table")
	}
}

// table checks the table, which is one of tables.
func (x *exportReader) table(e *exportRequest, tables []string) {
	e.cfg.Table = x.text("table")
	switch {
	case e.cfg.Table != "" && !slices.Contains(tables, e.cfg.Table):
		x.fault("table", "must be %s", mistake.Or(tables...))
	case e.cfg.Table == "" && e.format.OneTable && len(tables) > 1:
		x.fault("table", "is required with the format %s, because its files have the rows of one table: %s",
			e.format.Name, mistake.Or(tables...))
	}
	if at, _, _ := strings.Cut(e.cfg.After.String(), ":"); at != "" && (!e.names || at != rowjson.Profiles) &&
		(!slices.Contains(tables, at) || e.cfg.Table != "" && at != e.cfg.Table) {
		x.fault("after", "is the cursor of another export: this one has no rows of the table %s", at)
	}
}

// answerExport counts the rows of the export, and writes them in pieces.
func (a *api) answerExport(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	if err := a.exports.begin(r); err != nil {
		return nil, err
	}
	if err := r.Claim(exportBytes + q.export.format.Memory); err != nil {
		return nil, err
	}
	cfg := q.export.cfg
	source := &takingTurns{Store: a.cfg.Export}
	cfg.Source, cfg.Subject, cfg.Rows = source, subject(r), exportRows
	if q.export.names {
		cfg.Profiles = profileNames{a.cfg.ExportProfiles}
	}
	x, err := exporter.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	source.turns = a.exports.reads // to count the rows takes less time than to wait
	header := http.Header{"Content-Disposition": {mime.FormatMediaType("attachment",
		map[string]string{"filename": q.export.fileName(cfg.Subject)})}}
	return &front.Answer{Status: http.StatusOK, Header: header, Type: q.export.format.Type,
		Text: q.export.format.Appends,
		Stream: func(ctx context.Context, to io.Writer) error {
			_, err := x.Write(ctx, q.export.format, exporter.Target{To: to, RawTexts: q.export.raw,
				BOM: q.export.bom})
			return err
		}}, nil
}

// fileName returns the name under which browsers store the export, such as web_shop-events-from-2026-01-01.csv.
func (e *exportRequest) fileName(of store.Subject) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, of.ID)
	if e.cfg.Table != "" {
		name += "-" + e.cfg.Table
	}
	if !e.cfg.From.IsZero() {
		name += "-from-" + e.cfg.From.Format(time.DateOnly)
	}
	if !e.cfg.To.IsZero() {
		name += "-to-" + e.cfg.To.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if !e.cfg.After.IsZero() {
		name += "-continued"
	}
	return name + "." + e.format.Name
}

// profileNames has profiles with the trait that names a person alone, which keys also see in answers.
type profileNames struct{ exporter.Profiles }

// ProfilesAfter implements [exporter.Profiles].
func (p profileNames) ProfilesAfter(ctx context.Context, website, after string, limit int) ([]store.Profile, error) {
	all, err := p.Profiles.ProfilesAfter(ctx, website, after, limit)
	for i := range all {
		all[i].Traits = map[string]any{}
		if all[i].Name != "" {
			all[i].Traits["name"] = all[i].Name
		}
	}
	return all, err
}
