package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A ColumnKind says what a column holds, and so in which direction it is sorted
// unless a question says otherwise.
type ColumnKind int

// The kinds of column. Metrics, instants and booleans are sorted downwards, the
// others upwards; no question can sort by an object.
const (
	Name ColumnKind = iota
	Date
	Metric
	Instant
	Boolean
	Code   // a number that is a name: the status of a check
	Object // JSON, a list of it, or a name that another store knows
	Host   // a name that may be a host, which is shown in Unicode and sorted in ASCII
)

func (k ColumnKind) descending() bool { return k == Metric || k == Instant || k == Boolean }

// A Column is one column of an answer.
type Column struct {
	Name string
	Kind ColumnKind
}

// hosts returns the columns, with the named ones marked as hosts.
func hosts(list []Column, names ...string) []Column {
	list = slices.Clone(list)
	for i := range list {
		if slices.Contains(names, list[i].Name) {
			list[i].Kind = Host
		}
	}
	return list
}

// A Window is the time that a type counts.
type Window int

// The windows. All but Range end now, and ignore the dates of a question.
const (
	Range    Window = iota
	Today           // from the local midnight on, now not included
	Active          // the last 5 minutes: that instant not included, now included
	Realtime        // the last 2 minutes, likewise
)

// A Type is one query type that Answer knows.
type Type struct {
	Name         string
	Kind         store.SubjectKind
	Series       bool // a row per day or hour
	Window       Window
	Single       bool     // a row per session, event or check, which is not compared
	NeedsSession bool     // refused without a filter session_id eq
	Columns      []Column // without those of groupBy
	Filters      []string // fields that filters may name
	GroupBy      []string // fields that groupBy may name

	answer func(*evaluation) *table
}

// Types returns the query types that Answer knows.
func Types() []Type {
	return slices.Concat(
		totalTypes(), pageTypes(), sourceTypes(), agentTypes(), placeTypes(), errorTypes(), vitalTypes(),
		sessionTypes(), eventTypes(), clickTypes(), blockedTypes(), linkTypes(), uptimeTypes(),
	)
}

// named copies a type under other names.
func named(t Type, names ...string) []Type {
	var list []Type
	for _, n := range names {
		t.Name = n
		list = append(list, t)
	}
	return list
}

// rowFields are the filter fields of a type of websites, extra ones last.
func rowFields(extra ...string) []string {
	return slices.Concat(sessionFields, []string{"path", "session_id", "anonymous_id", "profile_id"}, extra)
}

// groupable are the session fields, but for those that are columns already.
func groupable(without ...string) []string {
	return slices.DeleteFunc(slices.Clone(sessionFields), func(f string) bool {
		return slices.Contains(without, f)
	})
}

// withPath is groupable for types all of whose numbers are counted by rows, so that
// the path of each says where it counts.
func withPath(without ...string) []string { return append(groupable(without...), "path") }

func columns(kind ColumnKind, list ...string) []Column {
	var cs []Column
	for _, n := range list {
		cs = append(cs, Column{n, kind})
	}
	return cs
}

func metrics(list ...string) []Column { return columns(Metric, list...) }

// shape is the columns of B: name, pageviews, visitors, percentage.
func shape() []Column {
	return slices.Concat(columns(Name, "name"), metrics("pageviews", "visitors", "percentage"))
}
