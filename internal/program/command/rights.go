package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/meta"
)

// rights has the options for the permissions of a key or panel token.
type rights struct {
	Scope    []scope    `placeholder:"SCOPE" help:"One of ${scopes}. May be repeated, or several joined by commas."`
	Resource []resource `placeholder:"KIND:ID" help:"Resource that may be used: website:ID, link:ID or schedule:ID (a monitor). May be repeated."`
	Filter   []filter   `sep:"none" placeholder:"FIELD:OP:VALUE" help:"Filter for all answers, such as country:eq:DE or path:in:/a,/b, or a group in JSON. May be repeated."`
	Type     []string   `placeholder:"NAME" help:"Query type that may be used. Default: all. May be repeated, or several joined by commas."`
}

// claims returns the rights as auth.Claims.
func (r *rights) claims() auth.Claims {
	c := auth.Claims{Types: r.Type}
	for _, s := range r.Scope {
		c.Scopes = append(c.Scopes, auth.Scope(s))
	}
	for _, one := range r.Resource {
		c.Resources = append(c.Resources, auth.Resource(one))
	}
	for _, f := range r.Filter {
		c.Filters = append(c.Filters, auth.Filter(f))
	}
	return c
}

// check returns an error for unknown types and fields, and for values that are not a country or a referrer. A key with
// these would be useless, or show more than it should.
func (r *rights) check() error {
	engine, err := query.New(query.Config{Store: noStore{}})
	if err != nil {
		return err
	}
	var known, fields []string
	for _, t := range engine.Types() {
		known = append(known, t.Name)
		if len(r.Type) == 0 || slices.Contains(r.Type, t.Name) {
			fields = append(fields, t.Filters...)
		}
	}
	for _, name := range r.Type {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--type: query type %q does not exist; GET /v1/query/types lists all types", name)
		}
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	for _, f := range r.Filter {
		for _, name := range namedFields(auth.Filter(f)) {
			if !slices.Contains(fields, name) && !strings.HasPrefix(name, query.PropertyPrefix) {
				return fmt.Errorf("--filter: no allowed query type has the filter field %q; fields are %s", name,
					strings.Join(fields, ", "))
			}
		}
	}
	var filters []query.Filter
	for _, f := range r.Filter {
		filters = append(filters, queryFilter(auth.Filter(f)))
	}
	if mistakes := engine.CheckAccess(query.Access{Filters: filters}); len(mistakes) > 0 {
		return fmt.Errorf("--filter: %s", mistakes[0].Message)
	}
	return nil
}

// namedFields returns the fields of all conditions in f.
func namedFields(f auth.Filter) (names []string) {
	parts := f.Parts()
	switch {
	case f.Did != nil: // which fields its filters may name is the same for all query types
		return nil
	case len(parts) == 0:
		return []string{f.Field}
	}
	for _, part := range parts {
		names = append(names, namedFields(part)...)
	}
	return names
}

// queryFilter returns f as a filter of queries.
func queryFilter(f auth.Filter) query.Filter {
	one := query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values}
	for _, part := range f.And {
		one.And = append(one.And, queryFilter(part))
	}
	for _, part := range f.Or {
		one.Or = append(one.Or, queryFilter(part))
	}
	if f.Not != nil {
		one.Not = new(queryFilter(*f.Not))
	}
	if d := f.Did; d != nil {
		one.Did = &query.Did{In: d.In,
			Action: query.Action{Event: queryText(d.Event), Page: queryText(d.Page), Click: queryText(d.Click)}}
		for _, part := range d.Filters {
			one.Did.Filters = append(one.Did.Filters, queryFilter(part))
		}
	}
	return one
}

// queryText returns t as a test of queries.
func queryText(t *auth.Text) *query.Text {
	if t == nil {
		return nil
	}
	return &query.Text{Op: query.Op(t.Op), Values: t.Values}
}

// noStore has no data. It suffices for an engine that only lists its types.
type noStore struct{ store.Store }

func (noStore) Dialect() *dialect.Dialect { return dialect.DuckDB() }

// checkOwner returns an error for resources of other owners, which the key could not use.
func checkOwner(ctx context.Context, m *meta.Store, owner string, resources []auth.Resource) error {
	for _, r := range resources {
		whose, err := m.Owner(ctx, store.Subject{Kind: store.SubjectKind(r.Kind), ID: r.ID})
		if errors.Is(err, store.ErrNotFound) || err == nil && whose != owner {
			list := map[string]string{auth.KindWebsite: "websites", auth.KindLink: "links",
				auth.KindSchedule: "monitors"}[r.Kind]
			return fmt.Errorf("%s has no %s %q; see %s list --owner %[1]s", owner, r.Kind, r.ID, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
