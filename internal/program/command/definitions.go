package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/internal/saved"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// definitionView shows a store.Definition, with the fields of the API for JSON.
type definitionView struct {
	Kind    store.DefinitionKind `json:"kind"`
	Name    string               `json:"name"`
	Body    json.RawMessage      `json:"body"`
	Created time.Time            `json:"createdAt"`
	Updated time.Time            `json:"updatedAt"`
}

func viewDefinition(d store.Definition) definitionView {
	return definitionView{d.Kind, d.Name, d.Body, d.Created, d.Updated}
}

func (d definitionView) cells() []cell {
	return []cell{{"KIND", string(d.Kind)}, {"NAME", d.Name}, {"BODY", string(d.Body)}, {"CREATED", at(d.Created)},
		{"CHANGED", at(d.Updated)}}
}

// ofWebsite has the options of commands about the definitions of a website.
type ofWebsite struct {
	records

	Website string `required:"" placeholder:"ID" help:"Id of the website."`
}

// reading opens the records and calls run, if they have the website.
func (o *ofWebsite) reading(ctx context.Context, e environment, run func(*meta.Store) error) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		_, err := m.Website(ctx, o.Website)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("website %q does not exist; see websites list --help", o.Website)
		}
		if err != nil {
			return err
		}
		return run(m)
	})
}

type listDefinitions struct{ ofWebsite }

func (l *listDefinitions) Run(ctx context.Context, e environment) error {
	return l.reading(ctx, e, func(m *meta.Store) error {
		all, err := m.Definitions(ctx, l.Website)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, viewDefinition))
	})
}

// ofDefinition has the options of commands about one definition.
type ofDefinition struct {
	ofWebsite

	Kind string `arg:"" enum:"goal,funnel,segment,annotation,notice,report" help:"What is defined: goal, funnel, segment, annotation, notice or report."`
	Name string `arg:"" help:"Name of the definition."`
}

type saveDefinition struct {
	ofDefinition

	Body body `required:"" placeholder:"JSON|@FILE" help:"Definition as in the API, as JSON or in a file, such as {\"event\":\"signup\"} for a goal."`
}

func (*saveDefinition) Help() string {
	return `Queries use the definition by its name. A definition of the same kind and name is replaced. The body of a goal has event, page or click, and may have filters and value; that of a funnel has steps, and may have window and within; that of a segment has filters. Queries do not use an annotation: it has at, a date or an instant, and text, which charts show. Nor do they use notices and reports, which docs/notices.md explains: --body @FILE keeps addresses that are secrets out of the list of processes.`
}

func (s *saveDefinition) Run(ctx context.Context, e environment) error {
	engine, err := query.New(query.Config{Store: noStore{}})
	if err != nil {
		return err
	}
	return s.reading(ctx, e, func(m *meta.Store) error {
		d := store.Definition{Kind: store.DefinitionKind(s.Kind), Name: s.Name, Body: json.RawMessage(s.Body)}
		notes, bad, err := saved.Check(ctx, engine, s.Website, &d)
		if err != nil {
			return err
		}
		if len(bad) > 0 {
			return bad
		}
		all, err := m.Definitions(ctx, s.Website)
		if err == nil {
			err = notice.CompleteAmong(&d, all)
		}
		if err != nil {
			return err
		}
		stored, err := m.PutDefinition(ctx, s.Website, d)
		if err != nil {
			return err
		}
		for _, note := range notes {
			if _, err := fmt.Fprintf(e.errs, "note: %s\n", note); err != nil {
				return err
			}
		}
		return showOne(e.out, s.JSON, viewDefinition(stored))
	})
}

type removeDefinition struct{ ofDefinition }

func (*removeDefinition) Help() string {
	return `Queries that name the definition fail from then on. Charts no longer show a removed annotation.`
}

func (r *removeDefinition) Run(ctx context.Context, e environment) error {
	return r.reading(ctx, e, func(m *meta.Store) error {
		all, err := m.Definitions(ctx, r.Website)
		if err != nil {
			return err
		}
		kind := store.DefinitionKind(r.Kind)
		for _, d := range all {
			if d.Kind == kind && d.Name == r.Name {
				if err = m.RemoveDefinition(ctx, r.Website, kind, r.Name); err != nil {
					return err
				}
				return showOne(e.out, r.JSON, viewDefinition(d))
			}
		}
		return fmt.Errorf("%s %q does not exist; see definitions list --website %s", r.Kind, r.Name, r.Website)
	})
}

// A body is JSON, or the JSON of the file that is named after @.
type body json.RawMessage

func (b *body) UnmarshalText(text []byte) error {
	js, err := jsonOf(string(text))
	if err != nil {
		return err
	}
	var line bytes.Buffer
	err = json.Compact(&line, js)
	*b = line.Bytes()
	return err
}
