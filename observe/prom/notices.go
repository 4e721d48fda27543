package prom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sightline-analytics/sightline/notify"
)

// Notices returns the metrics of notices and reports. The host registers it.
//
//	sightline_notices                           notices and reports that were evaluated last
//	sightline_notices_leads                     1 if this server evaluates and delivers, and 0 if another one does
//	sightline_notice_rounds_total               evaluations
//	sightline_notice_round_seconds_total        time that they took
//	sightline_notice_failures_total             failures of this work, which is tried again
//	sightline_notices_told_total                changes and reports that were told
//	sightline_notice_messages_total{result}     delivered messages, tries that failed (refused), and messages that are
//	                                            not tried any more (failed)
func Notices(s *notify.Service) prometheus.Collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("sightline_"+name, help, labels, nil)
	}
	return &noticeCollector{s,
		desc("notices", "Notices and reports that were evaluated last."),
		desc("notices_leads", "1 if this server evaluates and delivers, and 0 if another one does."),
		desc("notice_rounds_total", "Evaluations of all notices."),
		desc("notice_round_seconds_total", "Time that evaluations took."),
		desc("notice_failures_total", "Failures of the work for notices, which is tried again."),
		desc("notices_told_total", "Changes and reports that were told."),
		desc("notice_messages_total", "Delivered messages, tries that failed, and messages that are not tried any more.",
			"result")}
}

type noticeCollector struct {
	service *notify.Service

	notices, leads, rounds, seconds, failures, told, messages *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *noticeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.notices, c.leads, c.rounds, c.seconds, c.failures, c.told, c.messages} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *noticeCollector) Collect(to chan<- prometheus.Metric) {
	s := c.service.Stats()
	leads := 0.0
	if s.Leads {
		leads = 1
	}
	to <- prometheus.MustNewConstMetric(c.notices, prometheus.GaugeValue, float64(s.Notices))
	to <- prometheus.MustNewConstMetric(c.leads, prometheus.GaugeValue, leads)
	for _, one := range []struct {
		desc  *prometheus.Desc
		value float64
	}{{c.rounds, float64(s.Rounds)}, {c.seconds, s.Seconds}, {c.failures, float64(s.Failures)},
		{c.told, float64(s.Told)}} {
		to <- prometheus.MustNewConstMetric(one.desc, prometheus.CounterValue, one.value)
	}
	for result, n := range map[string]int64{"delivered": s.Delivered, "refused": s.Refused, "failed": s.GivenUp} {
		to <- prometheus.MustNewConstMetric(c.messages, prometheus.CounterValue, float64(n), result)
	}
}
