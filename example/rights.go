//go:build cgo

package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// rights are the flags that say what a key opens, and what a panel token leaves of it.
type rights struct {
	scopes    []auth.Scope
	resources []auth.Resource
	filters   []auth.Filter
	types     []string
}

// flags adds the flags of r to set.
func (r *rights) flags(set *flag.FlagSet) {
	set.Func("scope", "`scope`, one of "+joined(auth.Scopes())+"; may be repeated, or several with commas", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			if !slices.Contains(auth.Scopes(), auth.Scope(part)) {
				return fmt.Errorf("%q is not one of %s", part, joined(auth.Scopes()))
			}
			r.scopes = append(r.scopes, auth.Scope(part))
		}
		return nil
	})
	set.Func("resource", "`kind:id` of what it is limited to, as website:web_demo, link:lnk_demo or schedule:mon_demo (a monitor); may be repeated", func(text string) error {
		kind, id, found := strings.Cut(text, ":")
		if !found || id == "" || auth.ReadScopes(kind) == nil {
			return errors.New("not website:ID, link:ID or schedule:ID")
		}
		r.resources = append(r.resources, auth.Resource{Kind: kind, ID: id})
		return nil
	})
	set.Func("filter", "`field:op:value` that all answers are cut to, as country:eq:DE or path:in:/a,/b; may be repeated", func(text string) error {
		f, err := parseFilter(text)
		r.filters = append(r.filters, f)
		return err
	})
	set.Func("type", "`name` of a query type that may be asked, when not all may; may be repeated, or several with commas", func(text string) error {
		r.types = append(r.types, strings.Split(text, ",")...)
		return nil
	})
}

// operators are those of a query's filters.
func operators() []query.Op {
	return []query.Op{query.Eq, query.Ne, query.Contains, query.NotContains, query.StartsWith, query.In, query.NotIn}
}

// parseFilter reads field:op:value. The value may hold colons; in and not_in take several
// with commas between, and quotes around those that hold commas themselves.
func parseFilter(text string) (auth.Filter, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 || parts[0] == "" {
		return auth.Filter{}, errors.New("not field:op:value, as country:eq:DE")
	}
	op := query.Op(parts[1])
	if !slices.Contains(operators(), op) {
		return auth.Filter{}, fmt.Errorf("%q is not one of %s", op, joined(operators()))
	}
	f := auth.Filter{Field: parts[0], Op: parts[1], Values: parts[2:]}
	if op == query.In || op == query.NotIn {
		values, err := csv.NewReader(strings.NewReader(parts[2])).Read()
		if err != nil {
			return auth.Filter{}, fmt.Errorf("values %q: %w", parts[2], err)
		}
		f.Values = values
	}
	return f, nil
}

// check finds types and fields that no query knows. A key with such would be of no use.
func (r *rights) check() error {
	engine, err := query.New(query.Config{Store: nowhere{}})
	if err != nil {
		return err
	}
	var known, fields []string
	for _, t := range engine.Types() {
		known = append(known, t.Name)
		if len(r.types) == 0 || slices.Contains(r.types, t.Name) {
			fields = append(fields, t.Filters...)
		}
	}
	for _, name := range r.types {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--type: there is no query type %q; GET /v1/query/types lists them", name)
		}
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	for _, f := range r.filters {
		if !slices.Contains(fields, f.Field) {
			return fmt.Errorf("--filter: nothing that may be asked can be filtered by %q, only by %s", f.Field, strings.Join(fields, ", "))
		}
	}
	return nil
}

// nowhere is a store for engines that are asked about their types alone.
type nowhere struct{ store.Store }

func (nowhere) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func joined[T ~string](all []T) string {
	return strings.Join(views(all, func(t T) string { return string(t) }), ", ")
}
