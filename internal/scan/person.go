package scan

import (
	"context"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// HasPersons reports whether rows of t belong to persons.
func (t *Table) HasPersons() bool { return t.Has("profile_id") }

// texts adds a list of texts as an argument and returns its placeholder.
func (a *Args) texts(d *dialect.Dialect, name string, values []string) string {
	*a = append(*a, dialect.Arg{Name: name, Kind: dialect.Texts, Value: values})
	return d.Arg(name, dialect.Texts)
}

// hasID returns the SQL conditions for a row of the website of p, and for a row with an id of p.
func (a *Args) hasID(d *dialect.Dialect, p store.Person) (website, ids string) {
	return "t.subject = " + a.Subject(d, store.Subject{Kind: store.KindWebsite, ID: p.Website}),
		"(" + d.Call(dialect.InList, "t.anonymous_id", a.texts(d, "anonymous", p.AnonymousIDs)) +
			" OR " + d.Call(dialect.InList, "t.profile_id", a.texts(d, "profiles", p.ProfileIDs)) + ")"
}

// Of returns the distinct values of a text column, apart from the empty text, in the rows of t that have an id of p, in
// order.
func Of(ctx context.Context, s store.Store, t *Table, column string, p store.Person) ([]string, error) {
	d := s.Dialect()
	var args Args
	website, ids := args.hasID(d, p)
	rows, err := s.Query(ctx, store.Statement{
		Label: column + " of a person",
		SQL: "SELECT DISTINCT t." + column + " AS value FROM " + t.Name + " AS t WHERE " + website + " AND " + ids +
			" AND (t." + column + " <> '') ORDER BY value",
		Args: args, Kinds: []dialect.Kind{dialect.Text},
	})
	if err != nil {
		return nil, err
	}
	return rows.Columns[0].Texts, nil
}

// ReadPerson returns all columns of the rows of t that belong to p, as store.PersonEraser says, in the order of [Read].
// sessions are those with rows that have an id of p.
func ReadPerson(ctx context.Context, s store.Store, t *Table, p store.Person, sessions []string) (*store.Rows, error) {
	d := s.Dialect()
	var args Args
	website, ids := args.hasID(d, p)
	where := website + " AND (" + ids + " OR ((t.anonymous_id = '') AND (t.profile_id = '') AND " +
		d.Call(dialect.InList, "t.session_id", args.texts(d, "sessions", sessions)) + "))"
	names, kinds := make([]string, len(t.Columns)), make([]dialect.Kind, len(t.Columns))
	for i, c := range t.Columns {
		names[i], kinds[i] = "t."+c.Name, kindOf(c)
	}
	order := "t.time, t.event_id"
	for _, c := range t.Key[2:] {
		order += ", t." + c.Name
	}
	return s.Query(ctx, store.Statement{
		Label: "rows of a person",
		SQL: "SELECT " + strings.Join(names, ", ") + " FROM " + t.Name + " AS t WHERE " + where + " ORDER BY " +
			order,
		Args: args, Kinds: kinds,
	})
}
