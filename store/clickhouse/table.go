package clickhouse

import (
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A table is a logical table as ClickHouse keeps it. Its DDL and its inserts are made
// of the same columns.
type table struct {
	schema.Table

	shard   string // what keeps rows together on one server of a cluster, beside the subject
	columns []column
}

// tables stand each at its schema.TableID.
var tables = func() (all [schema.NumTables]table) {
	for _, t := range schema.Tables() {
		all[t.ID] = tableOf(t)
	}
	return all
}()

func tableOf(t schema.Table) table {
	mark := subjectText(store.Subject{Kind: t.ID.Of()})
	all := []column{of("subject", types[schema.LowCardinality], func(r schema.Row) string { return mark + t.Subject(r) })}
	for _, c := range t.Columns {
		all = append(all, columnOf(c))
		if c.Name == "time" { // receipts are not part of the logical table
			all = append(all, receiptColumn())
		}
	}
	shard := "event_id"
	if t.ID.Of() == store.KindWebsite { // rows of one session lie on one server, so that it can be formed there
		shard = "if(session_id = '', event_id, session_id)"
	}
	return table{t, shard, all}
}

// namesOf are the tables with rows of a kind of subject.
func namesOf(kind store.SubjectKind) []string {
	var names []string
	for _, t := range schema.TablesOf(kind) {
		names = append(names, t.ID.String())
	}
	return names
}

// subjectText is what a subject is stored as: its id, with a word in front for links and
// schedules, so that a table of websites has nothing of a link that is called like one.
func subjectText(s store.Subject) string {
	switch s.Kind {
	case store.KindLink:
		return "link " + s.ID
	case store.KindSchedule:
		return "schedule " + s.ID
	default:
		return s.ID
	}
}
