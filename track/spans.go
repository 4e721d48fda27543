package track

import (
	"context"
	"strings"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxFilename  = 512
	maxLine      = 100_000
	maxStack     = 2048
	maxErrorType = 128
	// defaultErrorType is the type of errors without a type.
	defaultErrorType = "Error"
)

// failure reads a JavaScript error.
func (r *reader) failure(ctx context.Context, f *fields, site store.Website) (row, error) {
	f.unwrap()
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	e := store.Error{
		Website: site.ID, ID: s.id, Time: r.clock.moment(f), Identity: s.Identity, Agent: s.Agent,
		Path: f.needPath(), Message: f.need(intake.MaxText, "message"),
		ErrorType: f.text(maxErrorType, "errorType", "error_type"),
		Filename:  f.text(maxFilename, "filename"), Stack: f.text(maxStack, "stack"),
		Line: f.measure(maxLine, 0, "lineno", "line"), Col: f.measure(maxLine, 0, "colno", "col"),
	}
	if e.ErrorType == "" {
		e.ErrorType = defaultErrorType
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return row{
		taken: taken{kind: kindError, id: e.ID}, subject: ofWebsite(e.Website),
		add: func(b *store.Batch) { b.Errors = append(b.Errors, e) },
	}, nil
}

// metrics are the web vitals, with the largest stored value and the number of decimal
// digits.
var metrics = [...]struct {
	name   string
	limit  float64
	digits int
}{
	{"FCP", intake.MaxLoad, 0},
	{"LCP", intake.MaxLoad, 0},
	{"CLS", 10, 4},
	{"INP", intake.MaxLoad, 0},
	{"TTFB", intake.MaxLoad, 0},
	{"FPS", 1000, 0},
}

// vital reads one web vital given by name, or several in fields with their names.
func (r *reader) vital(ctx context.Context, f *fields, site store.Website) (row, error) {
	f.unwrap()
	s, err := r.base(ctx, f, site.ID)
	if err != nil {
		return row{}, err
	}
	v := store.Vital{
		Website: site.ID, ID: s.id, Time: r.clock.moment(f), Identity: s.Identity, Agent: s.Agent,
		Path: f.needPath(), Samples: f.samples(),
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return row{
		taken: taken{kind: kindVitals, id: v.ID}, subject: ofWebsite(v.Website),
		add: func(b *store.Batch) { b.Vitals = append(b.Vitals, v) },
	}, nil
}

// samples returns the values of the item. An item without values is a mistake, since nothing else in it is
// stored.
func (f *fields) samples() []store.Sample {
	var all []store.Sample
	named, known := f.peek("metricName", "metric_name"), false
	for _, m := range metrics {
		names := []string{strings.ToLower(m.name), m.name}
		if named != "" {
			if !strings.EqualFold(named, m.name) {
				continue
			}
			names, known = []string{"metricValue", "metric_value"}, true
		}
		if x := f.measure(m.limit, m.digits, names...); x.Valid {
			all = append(all, store.Sample{Metric: m.name, Value: x.V})
		}
	}
	switch {
	case len(all) > 0:
	case known:
		_, name := f.get("metricValue", "metric_value")
		f.fail(name, "invalid_value", "must be a number between 0 and the limit of the metric")
	default:
		f.fail("metricName", "invalid_value", "must be FCP, LCP, CLS, INP, TTFB or FPS")
	}
	return all
}
