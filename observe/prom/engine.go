package prom

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sightline-analytics/sightline/query"
)

// Engine returns the metrics of an engine, and of the work that its sealer has left. The host registers it. sealer may
// be nil.
//
//	sightline_answers_total{source,reason}           answers to parameters by source; the reason is "none" for remembered answers
//	sightline_answers_bytes                          memory of remembered answers to parameters
//	sightline_states_bytes                           memory of states
//	sightline_seal_days_due                          days to seal, summed over all websites
//	sightline_seal_oldest_due_timestamp_seconds      start of the oldest day to seal; 0 if no day is due
//	sightline_states_days_due                        days whose stored states have to be looked at
//
// The sources and reasons are the constants of package query.
func Engine(engine *query.Engine, sealer *query.Sealer) prometheus.Collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("sightline_"+name, help, labels, nil)
	}
	return &engineCollector{
		engine: engine, sealer: sealer,
		answers: desc("answers_total",
			"Answers to parameters, by source, and by the reason why the source before it did not answer.", "source",
			"reason"),
		answerBytes: desc("answers_bytes", "Memory of remembered answers to parameters."),
		stateBytes:  desc("states_bytes", "Memory of the states that answers are merged from."),
		sealDays:    desc("seal_days_due", "Days to seal, added up over all websites."),
		oldestDay:   desc("seal_oldest_due_timestamp_seconds", "Start of the oldest day to seal; 0 if no day is due."),
		stateDays: desc("states_days_due",
			"Days whose stored states have to be looked at, added up over all websites."),
	}
}

type engineCollector struct {
	engine *query.Engine
	sealer *query.Sealer // may be nil

	answers, answerBytes, stateBytes, sealDays, oldestDay, stateDays *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *engineCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.answers, c.answerBytes, c.stateBytes, c.sealDays, c.oldestDay, c.stateDays} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *engineCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	stats := c.engine.Stats()
	for _, n := range stats.Answers {
		to <- prometheus.MustNewConstMetric(c.answers, prometheus.CounterValue, float64(n.Answers), string(n.Source),
			cmp.Or(string(n.Why), "none"))
	}
	gauge(c.answerBytes, float64(stats.AnswerBytes))
	gauge(c.stateBytes, float64(stats.StateBytes))
	if c.sealer == nil {
		return
	}
	left, oldest := c.sealer.Backlog(), 0.0
	if !left.Oldest.IsZero() {
		oldest = float64(left.Oldest.Unix())
	}
	gauge(c.sealDays, float64(left.Days))
	gauge(c.oldestDay, oldest)
	gauge(c.stateDays, float64(left.States))
}
