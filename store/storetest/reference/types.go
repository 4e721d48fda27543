package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A ColumnKind is the kind of a column's values. It determines the default sort direction.
type ColumnKind int

// The kinds of column. Numbers, instants and booleans are sorted in descending order, the others in ascending
// order. Questions cannot sort by an object.
const (
	Name ColumnKind = iota
	Date
	Number
	Instant
	Boolean
	Code   // a number used as a name, such as the status of a check
	Object // JSON, a list of JSON, or a name from another store
	Host   // a name that may be a host, shown in Unicode
)

func (k ColumnKind) descending() bool { return k == Number || k == Instant || k == Boolean }

// A Column is one column of an answer.
type Column struct {
	Name string
	Kind ColumnKind
}

// hosts returns list with the kind Host for the named columns.
func hosts(list []Column, names ...string) []Column {
	list = slices.Clone(list)
	for i := range list {
		if slices.Contains(names, list[i].Name) {
			list[i].Kind = Host
		}
	}
	return list
}

// A Window is the range of time over which a type counts.
type Window int

// The windows. Range is the range of the question. The others end now, and ignore the dates of the question.
const (
	Range    Window = iota
	Today           // from local midnight, excluding now
	Active          // the last 5 minutes, excluding their first instant and including now
	Realtime        // the last 2 minutes, with the same limits
)

// A Type is a query type that Answer supports.
type Type struct {
	Name         string
	Kind         store.SubjectKind
	Series       bool // a row per day or hour
	Window       Window
	Single       bool     // a row per session, event or check; not compared
	NeedsSession bool     // requires a filter session_id eq
	Columns      []Column // without the groupBy columns
	Filters      []string // fields allowed in filters
	GroupBy      []string // fields allowed in groupBy

	limit     int  // rows without a limit of the question; 0 means 100
	bySession bool // filters are about sessions only
	fixed     bool // the order cannot be changed
	noTotals  bool
	answer    func(*evaluation) *table
}

// Types returns the query types that Answer supports.
func Types() []Type {
	return slices.Concat(
		totalTypes(), pageTypes(), sourceTypes(), agentTypes(), placeTypes(), errorTypes(), vitalTypes(),
		sessionTypes(), eventTypes(), clickTypes(), blockedTypes(), linkTypes(), uptimeTypes(),
	)
}

// named returns copies of a type with other names.
func named(t Type, names ...string) []Type {
	var list []Type
	for _, n := range names {
		t.Name = n
		list = append(list, t)
	}
	return list
}

// rowFields returns the filter fields of a type for websites, with extra fields at the end.
func rowFields(extra ...string) []string {
	return slices.Concat(sessionFields, []string{"path", "session_id", "anonymous_id", "profile_id"}, extra)
}

// withTitle is like withPath, for types whose rows are pageviews.
func withTitle(without ...string) []string { return append(withPath(without...), "title") }

// viewFields returns the filter fields of a type whose rows are pageviews.
func viewFields() []string { return rowFields("title") }

// groupable returns the session fields, except fields that already are columns.
func groupable(without ...string) []string {
	return slices.DeleteFunc(slices.Clone(sessionFields), func(f string) bool {
		return slices.Contains(without, f)
	})
}

// withPath is like groupable, for types that count all their numbers by rows, so that each row's path can be
// used.
func withPath(without ...string) []string { return append(groupable(without...), "path") }

func columns(kind ColumnKind, list ...string) []Column {
	var cs []Column
	for _, n := range list {
		cs = append(cs, Column{n, kind})
	}
	return cs
}

func metrics(list ...string) []Column { return columns(Number, list...) }

// shape returns the columns of shape B: name, pageviews, visitors, percentage.
func shape() []Column {
	return slices.Concat(columns(Name, "name"), metrics("pageviews", "visitors", "percentage"))
}

// Allows reports whether questions of the type may filter by a field.
func (t Type) Allows(field string) bool {
	if field == didField {
		// rejected traffic has no visitors
		return t.Kind == store.KindWebsite && !slices.Contains(t.Filters, "bot_name")
	}
	_, property := propertyKey(field)
	if field == websiteField {
		return t.Kind == store.KindWebsite
	}
	return slices.Contains(t.Filters, field) || t.ofEvents() && (property || field == "event_name")
}

// groups reports whether questions of the type may group by a field.
func (t *Type) groups(field string) bool {
	if field == websiteField {
		return t.Kind == store.KindWebsite && (t.groups("gclid") || slices.Contains(t.Filters, "bot_name"))
	}
	_, property := propertyKey(field)
	named := columnOf(t.Columns, "property_key") >= 0 || t.Name == "custom_events" // its name is a column
	return slices.Contains(t.GroupBy, field) || t.Name == "goals" && groupsGoals(field) ||
		t.ofEvents() && len(t.GroupBy) > 0 && (property || field == "event_name" && !named)
}

// ofEvents reports whether the rows of the type are page events, custom events or clicks, or sessions of these.
func (t Type) ofEvents() bool {
	return t.Kind == store.KindWebsite && !t.bySession && t.Name != "performance" && t.Name != "frustration_by_page" &&
		!slices.ContainsFunc(t.Filters,
			func(f string) bool { return f == "message" || f == "metric_name" || f == "reason" })
}
