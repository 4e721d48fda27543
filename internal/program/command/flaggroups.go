package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store/meta"
)

// groupView shows a target group.
type groupView flags.Group

func (g groupView) cells() []cell {
	return []cell{
		{"GROUP", g.ID}, {"NAME", g.Name}, {"DESCRIPTION", g.Description}, {"COLOR", g.Color}, {"RULES", strconv.Itoa(len(g.Rules))},
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

type putGroup struct {
	ofClient

	ID          string `placeholder:"ID" help:"Id of the group to replace. Default: create a group."`
	Name        string `required:"" placeholder:"TEXT" help:"Display name."`
	Description string `placeholder:"TEXT" help:"Description of the group."`
	Color       string `placeholder:"#RRGGBB" help:"Colour in dashboards."`
	Rules       rules  `required:"" placeholder:"JSON|@FILE" help:"Rules as in the API, as JSON or in a file."`
}

func (p *putGroup) Run(ctx context.Context, e environment) error {
	return p.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		g, err := editor.PutGroup(ctx, flags.Group{
			ID: p.ID, Client: p.client, Name: p.Name, Description: p.Description, Color: p.Color, Rules: p.Rules,
		})
		if errors.Is(err, flags.ErrNotFound) {
			return noGroup(p.ID, p.Client)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, p.JSON, groupView(g))
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
		return plain(err, flags.ErrInvalid)
	}
	var f flags.Flag
	patch.Apply(&f)
	*r = f.Rules
	return nil
}

type removeGroup struct {
	ofClient

	Group string `arg:"" help:"Id of the group."`
}

func (r *removeGroup) Run(ctx context.Context, e environment) error {
	return r.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		all, err := editor.Groups(ctx, r.client)
		if err != nil {
			return err
		}
		if err := editor.RemoveGroup(ctx, r.client, r.Group); errors.Is(err, flags.ErrNotFound) {
			return noGroup(r.Group, r.Client)
		} else if err != nil {
			return err
		}
		for _, g := range all {
			if g.ID == r.Group {
				return showOne(e.out, r.JSON, groupView(g))
			}
		}
		return nil
	})
}

func noGroup(id, client string) error {
	return fmt.Errorf("target group %q does not exist; see flags groups list --client %s", id, client)
}
