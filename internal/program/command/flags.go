package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// flagCommands manage feature flags. Servers see changes within a second.
type flagCommands struct {
	Add      addFlag      `cmd:"" help:"Add a flag, or restore the removed flag with the same key."`
	List     listFlags    `cmd:"" help:"List the flags of a client."`
	Change   changeFlag   `cmd:"" help:"Change a flag."`
	Remove   removeFlag   `cmd:"" help:"Remove a flag."`
	Schedule scheduleFlag `cmd:"" help:"Schedule when a flag is enabled, disabled or rolled out further."`
	Evaluate evaluateFlag `cmd:"" help:"Evaluate flags for a user and show why."`
	History  flagHistory  `cmd:"" help:"List the changes of a flag, the newest first."`
	Groups   struct {
		Add    addGroup    `cmd:"" help:"Add a target group."`
		List   listGroups  `cmd:"" help:"List the target groups of a client."`
		Change changeGroup `cmd:"" help:"Change a target group."`
		Remove removeGroup `cmd:"" help:"Remove a target group that no flag uses."`
	} `cmd:"" help:"Target groups: rules that several flags share."`
}

// ofClient has the options of commands about the flags of one client.
type ofClient struct {
	records

	Client string `required:"" placeholder:"ID" help:"Id of the website or owner that the flags belong to."`

	client flags.Client // the client with the id Client
}

// editing opens the store, finds the client and calls run.
func (o *ofClient) editing(ctx context.Context, e environment, run func(*flags.Editor, *meta.Store) error) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		o.client = flags.OfWebsite(o.Client)
		_, err := m.Website(ctx, o.Client)
		if errors.Is(err, store.ErrNotFound) {
			o.client = flags.OfOrganization(o.Client)
			_, err = m.OwnerByID(ctx, o.Client)
		}
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("no website and no owner has the id %q; see websites list and owners list", o.Client)
		}
		if err != nil {
			return err
		}
		editor, err := flags.NewEditor(flags.EditorConfig{Store: m.Flags(), Now: e.now})
		if err != nil {
			return err
		}
		err = run(editor, m)
		if errors.Is(err, flags.ErrInvalid) {
			return plain(err)
		}
		return err
	})
}

// byCommand returns the author of changes, for the history of flags.
func byCommand() flags.Actor { return flags.Actor{Kind: "command"} }

// ofFlag has the options of commands about one flag.
type ofFlag struct {
	ofClient

	Flag        string `arg:"" help:"Key of the flag, or its id."`
	Environment string `placeholder:"NAME" help:"Environment of the flag, if it has one and is named by its key."`
}

// target returns the flag, which may be removed, as the target of a change.
func (o *ofFlag) target(ctx context.Context, m *meta.Store) (flags.Target, error) {
	set, err := m.Flags().Load(ctx, o.client)
	if err != nil {
		return flags.Target{}, err
	}
	i := slices.IndexFunc(set.Flags, func(f flags.Flag) bool {
		return f.ID == o.Flag || f.Key == o.Flag && f.Environment == o.Environment
	})
	if i < 0 {
		return flags.Target{}, o.noFlag()
	}
	return flags.Target{Client: o.client, ID: set.Flags[i].ID, Actor: byCommand()}, nil
}

func (o *ofFlag) noFlag() error {
	return fmt.Errorf("flag %q does not exist; see flags list --client %s", o.Flag, o.Client)
}

// change changes the flag and prints the stored flag. If fits is not nil, change first calls it with the type that
// the flag will have, and returns its error.
func (o *ofFlag) change(ctx context.Context, e environment, fits func(flags.Type) error, edit func(*flags.Flag)) error {
	return o.editing(ctx, e, func(editor *flags.Editor, m *meta.Store) error {
		t, err := o.target(ctx, m)
		if err != nil {
			return err
		}
		if f, err := editor.Flag(ctx, t.Client, t.ID); err == nil && fits != nil {
			if edit(&f); fits(f.Type) != nil {
				return fits(f.Type)
			}
		}
		f, err := editor.Change(ctx, t, edit)
		if errors.Is(err, flags.ErrNotFound) {
			return o.noFlag() // somebody removed it after target found it
		}
		if err != nil {
			return err
		}
		return showOne(e.out, o.JSON, flagView(f))
	})
}

// flagView is the output of a command for a flag.
type flagView flags.Flag

func (f flagView) cells() []cell {
	return []cell{
		{"FLAG", f.Key}, {"ENVIRONMENT", f.Environment}, {"TYPE", string(f.Type)}, {"STATUS", string(f.Status)},
		{"ELSE", f.otherwise()},
		{"RULES", strconv.Itoa(len(f.Rules))}, {"GROUPS", strconv.Itoa(len(f.Groups))},
		{"HASH", strconv.Itoa(f.HashVersion)}, {"NEXT STEP", f.next()},
		{"REVISION", strconv.FormatInt(f.Revision, 10)}, {"CHANGED", at(f.UpdatedAt)}, {"ID", f.ID},
	}
}

// otherwise returns the value of the flag if no rule matches.
func (f flagView) otherwise() string {
	switch {
	case f.Type == flags.Rollout:
		return fmt.Sprintf("%g %% by %s", f.Percentage, f.By)
	case f.Type == flags.Multivariant && len(f.Variants) > 0:
		return strings.Join(mapped(f.Variants, func(v flags.Variant) string { return v.Key }), ", ")
	}
	return strconv.FormatBool(f.Default)
}

func (f flagView) next() string {
	if len(f.Schedule) == 0 {
		return ""
	}
	s := f.Schedule[0]
	if s.Action == flags.UpdateRollout {
		return fmt.Sprintf("%g %% at %s", s.Percentage, at(s.At))
	}
	return string(s.Action) + " at " + at(s.At)
}

type listFlags struct{ ofClient }

func (l *listFlags) Run(ctx context.Context, e environment) error {
	return l.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		all, err := editor.List(ctx, l.client)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, func(f flags.Flag) flagView { return flagView(f) }))
	})
}
