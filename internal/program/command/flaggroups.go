package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store/meta"
)

// groupView shows a target group.
type groupView flags.Group

func (g groupView) cells() []cell {
	return []cell{
		{"GROUP", g.ID}, {"NAME", g.Name}, {"DESCRIPTION", g.Description}, {"COLOR", g.Color},
		{"RULES", strconv.Itoa(len(g.Rules))},
		{"REVISION", strconv.FormatInt(g.Revision, 10)}, {"CHANGED", at(g.UpdatedAt)},
	}
}

type listGroups struct{ ofClient }

func (l *listGroups) Run(ctx context.Context, e environment) error {
	return l.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		all, err := editor.Groups(ctx, l.client)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, func(g flags.Group) groupView { return groupView(g) }))
	})
}

type addGroup struct {
	ofClient

	Name        string `required:"" placeholder:"TEXT" help:"Display name."`
	Description string `placeholder:"TEXT" help:"Description of the group."`
	Color       string `placeholder:"#RRGGBB" help:"Colour in dashboards."`
	Rules       rules  `required:"" placeholder:"JSON|@FILE" help:"Rules as in the API, as JSON or in a file."`
}

func (a *addGroup) Run(ctx context.Context, e environment) error {
	return a.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		g, err := editor.PutGroup(ctx, flags.Group{
			Client: a.client, Name: a.Name, Description: a.Description, Color: a.Color, Rules: a.Rules,
		})
		if err != nil {
			return err
		}
		return showOne(e.out, a.JSON, groupView(g))
	})
}

// ofGroup has the options of commands about one target group.
type ofGroup struct {
	ofClient

	Group string `arg:"" help:"Id of the group."`
}

// find returns the group.
func (o *ofGroup) find(ctx context.Context, editor *flags.Editor) (flags.Group, error) {
	all, err := editor.Groups(ctx, o.client)
	if err != nil {
		return flags.Group{}, err
	}
	i := slices.IndexFunc(all, func(g flags.Group) bool { return g.ID == o.Group })
	if i < 0 {
		return flags.Group{}, o.noGroup()
	}
	return all[i], nil
}

func (o *ofGroup) noGroup() error {
	return fmt.Errorf("target group %q does not exist; see flags groups list --client %s", o.Group, o.Client)
}

// explain returns err, or says what to do if another change of the group came first.
func (o *ofGroup) explain(err error) error {
	switch {
	case errors.Is(err, flags.ErrNotFound):
		return o.noGroup()
	case errors.Is(err, flags.ErrConflict):
		return fmt.Errorf("target group %q was changed at the same time; this command changed nothing; try again",
			o.Group)
	}
	return err
}

type changeGroup struct {
	ofGroup

	Name        *string `placeholder:"TEXT" help:"Display name."`
	Description *string `placeholder:"TEXT" help:"Description of the group."`
	Color       *string `placeholder:"#RRGGBB" help:"Colour in dashboards."`
	Rules       *rules  `placeholder:"JSON|@FILE" help:"Rules as in the API, as JSON or in a file."`
}

func (*changeGroup) Help() string {
	return `Options that you leave out do not change. The rules replace all earlier rules.`
}

func (c *changeGroup) Run(ctx context.Context, e environment) error {
	return c.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		g, err := c.find(ctx, editor)
		if err != nil {
			return err
		}
		assign(&g.Name, c.Name)
		assign(&g.Description, c.Description)
		assign(&g.Color, c.Color)
		if c.Rules != nil {
			g.Rules = *c.Rules
		}
		if g, err = editor.PutGroup(ctx, g); err != nil { // fails if g is no longer at its revision
			return c.explain(err)
		}
		return showOne(e.out, c.JSON, groupView(g))
	})
}

// rules reads the rules of a group from JSON.
type rules []flags.Rule

func (r *rules) UnmarshalText(text []byte) error {
	js, err := jsonOf(string(text))
	if err != nil {
		return err
	}
	patch, err := flags.ParsePatch(fmt.Appendf(nil, `{"rules":%s}`, js)) // its errors name fields of JSON
	if err != nil {
		return plain(err)
	}
	var f flags.Flag
	patch.Apply(&f)
	*r = f.Rules
	return nil
}

type removeGroup struct{ ofGroup }

func (r *removeGroup) Run(ctx context.Context, e environment) error {
	return r.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		g, err := r.find(ctx, editor)
		if err != nil {
			return err
		}
		if err := editor.RemoveGroup(ctx, r.client, r.Group); err != nil {
			return r.explain(err)
		}
		return showOne(e.out, r.JSON, groupView(g))
	})
}
