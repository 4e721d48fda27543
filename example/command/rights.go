//go:build cgo

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

// rights are the flags that say what a key opens, and what a panel token leaves of it.
type rights struct {
	Scope    []scope    `placeholder:"SCOPE" help:"One of ${scopes}; may be repeated, or several with commas."`
	Resource []resource `placeholder:"KIND:ID" help:"What it is limited to, as website:web_demo, link:lnk_demo or schedule:mon_demo (a monitor); may be repeated."`
	Filter   []filter   `sep:"none" placeholder:"FIELD:OP:VALUE" help:"Condition that all answers are cut to, as country:eq:DE or path:in:/a,/b; may be repeated."`
	Type     []string   `placeholder:"NAME" help:"Query type that may be asked, when not all may; may be repeated, or several with commas."`
}

// claims are the rights in the words of auth.
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

// check returns an error for types and fields that no query knows, and for values that are not a
// country or a referrer. A key with these would be useless, or show more than it should.
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
			return fmt.Errorf("--type: there is no query type %q; GET /v1/query/types lists them", name)
		}
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	for _, f := range r.Filter {
		if !slices.Contains(fields, f.Field) {
			return fmt.Errorf("--filter: nothing that may be asked can be filtered by %q, only by %s", f.Field, strings.Join(fields, ", "))
		}
	}
	var filters []query.Filter
	for _, f := range r.Filter {
		filters = append(filters, query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values})
	}
	if mistakes := engine.CheckAccess(query.Access{Filters: filters}); len(mistakes) > 0 {
		return fmt.Errorf("--filter: %s", mistakes[0].Message)
	}
	return nil
}

// noStore is for engines that are asked about their types alone.
type noStore struct{ store.Store }

func (noStore) Dialect() *dialect.Dialect { return dialect.DuckDB() }

// checkOwner makes sure that resources are owner's: a key for others would open nothing.
func checkOwner(ctx context.Context, m *meta.Store, owner string, resources []auth.Resource) error {
	for _, r := range resources {
		whose, err := m.Owner(ctx, store.Subject{Kind: store.SubjectKind(r.Kind), ID: r.ID})
		if errors.Is(err, store.ErrNotFound) || err == nil && whose != owner {
			list := map[string]string{auth.KindWebsite: "websites", auth.KindLink: "links", auth.KindSchedule: "monitors"}[r.Kind]
			return fmt.Errorf("%s has no %s %q; see %s list --owner %[1]s", owner, r.Kind, r.ID, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
