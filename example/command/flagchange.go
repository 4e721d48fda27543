//go:build cgo

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store/meta"
)

// flagFields are the fields of a flag. They go through the same checks as those of a request.
type flagFields struct {
	Name        *string   `placeholder:"TEXT" help:"Name for people."`
	Description *string   `placeholder:"TEXT" help:"What it is for."`
	Status      *string   `placeholder:"STATUS" help:"active, inactive or archived; a new one is active."`
	Default     *bool     `negatable:"" help:"What a boolean flag is when no rule decides."`
	Percentage  *float64  `placeholder:"0..100" help:"For how many percent a rollout is on, with at most two decimals."`
	HashVersion *int      `placeholder:"1|2" help:"Hash that divides people: 2, the default for new flags, or 1, the hash of the public product. A change shuffles people."`
	By          *string   `placeholder:"UNIT" help:"What a rollout takes in as a whole: user, organization or team."`
	Set         []setting `sep:"none" placeholder:"FIELD=JSON" help:"Any field of the API: rules, variants, payload, dependencies, targetGroupIds and so on; FIELD=@FILE takes the JSON from a file; may be repeated."`
}

// A setting is a field of a flag in JSON.
type setting struct {
	field string
	value json.RawMessage
}

func (s *setting) UnmarshalText(text []byte) error {
	field, value, ok := strings.Cut(string(text), "=")
	if !ok {
		return errors.New("not a field and JSON like payload={}")
	}
	js, err := jsonOf(value)
	*s = setting{field, js}
	return err
}

// jsonOf is JSON as it was typed, or as the file that is named holds it.
func jsonOf(text string) (json.RawMessage, error) {
	js := []byte(text)
	if file, named := strings.CutPrefix(text, "@"); named {
		var err error
		if js, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	if !json.Valid(js) {
		return nil, fmt.Errorf("%.40q is not JSON", js)
	}
	return js, nil
}

// patch is what was named, with more fields.
func (f *flagFields) patch(more map[string]any) (flags.Patch, error) {
	fields := map[string]any{}
	for name, value := range more {
		fields[name] = value
	}
	for _, s := range f.Set {
		fields[s.field] = s.value
	}
	named(fields, "name", f.Name)
	named(fields, "description", f.Description)
	named(fields, "status", f.Status)
	named(fields, "defaultValue", f.Default)
	named(fields, "rolloutPercentage", f.Percentage)
	named(fields, "rolloutBy", f.By)
	named(fields, "hashVersion", f.HashVersion)
	js, err := json.Marshal(fields)
	if err != nil {
		return flags.Patch{}, err
	}
	return flags.ParsePatch(js)
}

// fits refuses what would do nothing for a flag of type t, which would be on for all or none instead.
func (f *flagFields) fits(t flags.Type) error {
	if (f.Percentage != nil || f.By != nil) && (t == flags.Boolean || t == flags.Multivariant) {
		return fmt.Errorf("--percentage and --by are for a flag of --type rollout, and this one is %s", t)
	}
	return nil
}

func named[T any](fields map[string]any, name string, value *T) {
	if value != nil {
		fields[name] = *value
	}
}

type createFlag struct {
	ofClient
	flagFields

	Key         string `arg:"" help:"Key that programs ask for."`
	Environment string `placeholder:"NAME" help:"Environment that it is for; without it for contexts without one."`
	Type        string `default:"boolean" placeholder:"TYPE" help:"boolean, which it is without this, rollout or multivariant."`
}

func (c *createFlag) Run(ctx context.Context, e environment) error {
	return c.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		fields := map[string]any{"clientId": c.Client, "key": c.Key, "type": c.Type, "defaultValue": false}
		if c.Environment != "" {
			fields["environment"] = c.Environment
		}
		patch, err := c.patch(fields)
		if err != nil {
			return err
		}
		f, err := patch.Flag(c.client)
		if err != nil {
			return err
		}
		if err := c.fits(f.Type); err != nil {
			return err
		}
		f, err = editor.Create(ctx, byCommand(), f)
		if errors.Is(err, flags.ErrExists) {
			return fmt.Errorf("there is a flag %q already; see flags update", c.Key)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, c.JSON, flagView(f))
	})
}

type updateFlag struct {
	ofFlag
	flagFields
}

func (*updateFlag) Help() string { return `What is not named stays.` }

func (u *updateFlag) Run(ctx context.Context, e environment) error {
	patch, err := u.patch(nil)
	if err != nil {
		return plain(err, flags.ErrInvalid)
	}
	return u.change(ctx, e, u.fits, patch.Apply)
}

type deleteFlag struct{ ofFlag }

func (*deleteFlag) Help() string {
	return `Programs get what they fall back on. flags create with the key brings it back, with id and history; the thousand that were removed last are kept.`
}

func (d *deleteFlag) Run(ctx context.Context, e environment) error {
	return d.editing(ctx, e, func(editor *flags.Editor, m *meta.Store) error {
		t, err := d.target(ctx, m)
		if err != nil {
			return err
		}
		f, err := editor.Flag(ctx, t.Client, t.ID)
		if err == nil {
			err = editor.Remove(ctx, t)
		}
		if errors.Is(err, flags.ErrNotFound) {
			return d.noFlag()
		}
		if err != nil {
			return err
		}
		return showOne(e.out, d.JSON, flagView(f))
	})
}

type scheduleFlag struct {
	ofFlag

	Step  []step `sep:"none" placeholder:"WHEN=ACTION" help:"What happens when: an instant, a UTC day or a length of time from now, and enable, disable or a percentage, as 2027-01-31T08:00:00Z=25; may be repeated."`
	Clear bool   `help:"Nothing happens any more."`
}

func (*scheduleFlag) Help() string {
	return `The steps take the place of those before. They happen at their instants in all servers, and after an outage they have happened.`
}

func (s *scheduleFlag) Validate() error {
	if s.Clear == (len(s.Step) > 0) {
		return errors.New("say either --step or --clear")
	}
	return nil
}

func (s *scheduleFlag) Run(ctx context.Context, e environment) error {
	now := e.now()
	return s.change(ctx, e, nil, func(f *flags.Flag) {
		f.Schedule = mapped(s.Step, func(one step) flags.Step { return one.at(now) })
	})
}

// A step of a schedule.
type step struct {
	when   instant
	action flags.Step
}

func (s *step) UnmarshalText(text []byte) error {
	when, action, _ := strings.Cut(string(text), "=")
	if err := s.when.UnmarshalText([]byte(when)); err != nil {
		return err
	}
	switch a := flags.Action(action); a {
	case flags.Enable, flags.Disable:
		s.action.Action = a
		return nil
	}
	percentage, err := strconv.ParseFloat(action, 64)
	if err != nil || !(percentage >= 0 && percentage <= 100) {
		return errors.New("not an instant and enable, disable or a percentage, as 2027-01-31T08:00:00Z=25")
	}
	s.action = flags.Step{Action: flags.UpdateRollout, Percentage: percentage}
	return nil
}

func (s step) at(now time.Time) flags.Step {
	s.action.At = s.when.after(now)
	return s.action
}
