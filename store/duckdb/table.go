//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"

	"github.com/sightline-analytics/sightline/store"
)

// The tables that rows go to. The order is that in which a batch is stored.
type table uint8

const (
	eventTable table = iota
	errorTable
	vitalTable
	spanTable
	visitTable
	checkTable
	numTables
)

// mostColumns is room for a row of any table.
const mostColumns = 48

// names of the physical tables, as in schema/*.sql.
var tableNames = [numTables]string{"events", "errors", "vitals", "spans", "visits", "checks"}

// encode emits the table's rows for item i of b: one, or for vitals one per sample.
// Values stand in the order of the table's columns, in buf, which is used again.
func (t table) encode(b *store.Batch, i int, subject int32, buf []sqldriver.Value, emit func(...sqldriver.Value) error) error {
	switch t {
	case eventTable:
		return emit(encodeEvent(buf, subject, &b.Events[i])...)
	case errorTable:
		return emit(encodeError(buf, subject, &b.Errors[i])...)
	case vitalTable:
		v := &b.Vitals[i]
		for _, sample := range v.Samples {
			row := begin(buf, subject, v.ID, v.Time.UnixMilli())
			row = visitorColumns(row, v.Identity, v.Agent, v.Path)
			if err := emit(append(row, sample.Metric, sample.Value)...); err != nil {
				return err
			}
		}
		return nil
	case spanTable:
		return emit(encodeSpan(buf, subject, &b.Spans[i])...)
	case visitTable:
		return emit(encodeVisit(buf, subject, &b.Visits[i])...)
	default:
		return emit(encodeCheck(buf, subject, &b.Checks[i])...)
	}
}

func encodeEvent(buf []sqldriver.Value, subject int32, e *store.Event) []sqldriver.Value {
	row := begin(buf, subject, e.ID, e.Time.UnixMilli())
	row = visitorColumns(row, e.Identity, e.Agent, e.Path)
	return append(row,
		uint8(e.Kind), e.Name, e.Title, e.Referrer, e.ReferrerDomain,
		e.UTMSource, e.UTMMedium, e.UTMCampaign, e.UTMTerm, e.UTMContent, e.GCLID,
		e.Language, e.Timezone, e.Screen, e.Viewport,
		measure(e.LoadTime), measure(e.DOMReadyTime), measure(e.TTFB),
		measure(e.TimeOnPage), measure(e.ScrollDepth), measure(e.Interactions),
		e.Namespace, e.Source, e.Properties, e.Href, e.Text)
}

func encodeError(buf []sqldriver.Value, subject int32, e *store.Error) []sqldriver.Value {
	row := begin(buf, subject, e.ID, e.Time.UnixMilli())
	row = visitorColumns(row, e.Identity, e.Agent, e.Path)
	return append(row, e.Message, e.ErrorType, e.Filename, measure(e.Line), measure(e.Col), e.Stack)
}

func encodeSpan(buf []sqldriver.Value, subject int32, s *store.Span) []sqldriver.Value {
	row := begin(buf, subject, s.ID, s.Time.UnixMilli())
	row = visitorColumns(row, s.Identity, s.Agent, s.Path)
	return append(row, s.ExitType, measure(s.PageIndex),
		measure(s.TimeOnPage), measure(s.ActiveTime), measure(s.FirstInteraction), measure(s.MaxScrollDepth),
		s.Scrolls, s.Clicks, s.Keys, s.Interactions, s.Copies,
		s.RageClicks, s.DeadClicks, s.FormFields, s.FormSubmits, s.Errors)
}

func encodeVisit(buf []sqldriver.Value, subject int32, v *store.Visit) []sqldriver.Value {
	row := begin(buf, subject, v.ID, v.Time.UnixMilli())
	return agentColumns(append(row, v.Referrer, v.ReferrerDomain), v.Agent)
}

func encodeCheck(buf []sqldriver.Value, subject int32, c *store.Check) []sqldriver.Value {
	var expiry, valid store.Measure
	if c.SSLExpiry.Valid {
		expiry = store.Known(c.SSLExpiry.V.UnixMilli())
	}
	if c.SSLValid.Valid {
		valid = store.Known(0)
		if c.SSLValid.V {
			valid = store.Known(1)
		}
	}
	row := begin(buf, subject, c.ID, c.Time.UnixMilli())
	return append(row, c.URL, uint8(c.Status), c.HTTPCode, measure(c.TTFB), measure(c.Total),
		c.Region, measure(expiry), measure(valid), c.Error)
}

// begin writes the columns that every table begins with.
func begin(buf []sqldriver.Value, subject int32, id string, millis int64) []sqldriver.Value {
	return append(buf[:0], subject, id, millis)
}

// visitorColumns writes the columns that the tables of websites go on with.
func visitorColumns(row []sqldriver.Value, i store.Identity, a store.Agent, path string) []sqldriver.Value {
	row = append(row, i.SessionID, i.AnonymousID, i.ProfileID, i.Visitor())
	return append(agentColumns(row, a), path)
}

func agentColumns(row []sqldriver.Value, a store.Agent) []sqldriver.Value {
	return append(row, a.BrowserName, a.BrowserVersion, a.OSName, a.OSVersion, a.DeviceType, a.Country, a.Region, a.City)
}

// measure is null when m is absent.
func measure(m store.Measure) sqldriver.Value {
	if !m.Valid {
		return nil
	}
	return m.V
}
