package clickhouse

import (
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
)

// A column is one column of a table whose rows are made of T: its type and its values.
type column[T any] struct {
	name string
	kind string
	fill func(to driver.BatchColumn, rows []T) error
	text func(row *T) string // nil for a column that is none
}

// The types of columns. Texts with few values are numbers in a dictionary of the part.
// No text is Nullable: an absent one is empty.
const (
	textType    = "String"
	wordType    = "LowCardinality(String)"
	storyType   = "String CODEC(ZSTD(1))" // long, seldom read
	instantType = "Int64 CODEC(Delta, ZSTD(1))"
	integerType = "Int64"
	smallType   = "UInt8"
	measureType = "Nullable(Int64)"
	receiptType = "UInt64 CODEC(ZSTD(1))"
)

func of[T, V any](name, kind string, value func(*T) V) column[T] {
	return column[T]{name: name, kind: kind, fill: func(to driver.BatchColumn, rows []T) error {
		values := make([]V, len(rows))
		for i := range rows {
			values[i] = value(&rows[i])
		}
		return to.Append(values)
	}}
}

func ofText[T any](name, kind string, value func(*T) string) column[T] {
	c := of(name, kind, value)
	c.text = value
	return c
}

func text[T any](name string, value func(*T) string) column[T] { return ofText(name, textType, value) }
func word[T any](name string, value func(*T) string) column[T] { return ofText(name, wordType, value) }
func story[T any](name string, value func(*T) string) column[T] {
	return ofText(name, storyType, value)
}

func integer[T any](name string, value func(*T) int64) column[T] {
	return of(name, integerType, value)
}

// measure is null when the value is absent.
func measure[T any](name string, value func(*T) *store.Measure) column[T] {
	return of(name, measureType, func(row *T) *int64 {
		if m := value(row); m.Valid {
			return &m.V
		}
		return nil
	})
}

// subjectText is what a subject is stored as: its id, with a word in front for links and
// schedules, so that a table of websites has nothing of a link that is called like one.
func subjectText(s store.Subject) string {
	switch s.Kind {
	case store.KindLink:
		return linkMark + s.ID
	case store.KindSchedule:
		return scheduleMark + s.ID
	default:
		return s.ID
	}
}

const (
	linkMark     = "link "
	scheduleMark = "schedule "
)

// head are the columns that every table begins with. receipt tells which of several
// rows of one event came first; it is not part of the logical table.
func head[T any](subject, id func(*T) string, millis func(*T) int64, receipt func(*T) uint64) []column[T] {
	return []column[T]{
		word("subject", subject), text("event_id", id), of("time", instantType, millis), of("receipt", receiptType, receipt),
	}
}

// visitor are the columns that the tables of websites go on with.
func visitor[T any](identity func(*T) *store.Identity, agent func(*T) *store.Agent, path func(*T) string) []column[T] {
	return append(append([]column[T]{
		text("session_id", func(r *T) string { return identity(r).SessionID }),
		text("anonymous_id", func(r *T) string { return identity(r).AnonymousID }),
		text("profile_id", func(r *T) string { return identity(r).ProfileID }),
		text("visitor", func(r *T) string { return identity(r).Visitor() }),
	}, device(agent)...), word("path", path))
}

func device[T any](agent func(*T) *store.Agent) []column[T] {
	return []column[T]{
		word("browser_name", func(r *T) string { return agent(r).BrowserName }),
		word("browser_version", func(r *T) string { return agent(r).BrowserVersion }),
		word("os_name", func(r *T) string { return agent(r).OSName }),
		word("os_version", func(r *T) string { return agent(r).OSVersion }),
		word("device_type", func(r *T) string { return agent(r).DeviceType }),
		word("country", func(r *T) string { return agent(r).Country }),
		word("region", func(r *T) string { return agent(r).Region }),
		word("city", func(r *T) string { return agent(r).City }),
	}
}
