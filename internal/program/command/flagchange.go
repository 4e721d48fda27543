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

// flagFields has the fields of a flag. They get the same checks as fields of a request.
type flagFields struct {
	Name        *string   `placeholder:"TEXT" help:"Display name."`
	Description *string   `placeholder:"TEXT" help:"Purpose of the flag."`
	Status      *string   `placeholder:"STATUS" help:"active, inactive or archived. New flags are active."`
	Default     *bool     `negatable:"" help:"Value of a boolean flag if no rule matches."`
	Percentage  *float64  `placeholder:"0..100" help:"Rollout percentage, with at most two decimals."`
	HashVersion *int      `placeholder:"1|2" help:"Hash that divides users: 2, the default for new flags, or 1, the hash of the public product. A change gives users other variants."`
	By          *string   `placeholder:"UNIT" help:"Unit of the rollout: user, organization or team."`
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

// jsonOf returns text as JSON, or the JSON of the file that text names after @.
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

// patch returns the given options, and more, as a patch.
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

// fits returns an error for rollout options of a flag of another type t, which would ignore them.
func (f *flagFields) fits(t flags.Type) error {
	if (f.Percentage != nil || f.By != nil) && (t == flags.Boolean || t == flags.Multivariant) {
		return fmt.Errorf("--percentage and --by need a flag of type rollout, and this one is %s", t)
	}
	return nil
}

func named[T any](fields map[string]any, name string, value *T) {
	if value != nil {
		fields[name] = *value
	}
}

type addFlag struct {
	ofClient
	flagFields

	Key         string `arg:"" help:"Key of the flag, which programs evaluate it by."`
	Environment string `placeholder:"NAME" help:"Environment of the flag. Default: contexts without an environment."`
	Type        string `default:"boolean" placeholder:"TYPE" help:"Type: boolean, rollout or multivariant."`
}

func (a *addFlag) Run(ctx context.Context, e environment) error {
	return a.editing(ctx, e, func(editor *flags.Editor, _ *meta.Store) error {
		fields := map[string]any{"clientId": a.Client, "key": a.Key, "type": a.Type, "defaultValue": false}
		if a.Environment != "" {
			fields["environment"] = a.Environment
		}
		patch, err := a.patch(fields)
		if err != nil {
			return err
		}
		f, err := patch.Flag(a.client)
		if err != nil {
			return err
		}
		if err := a.fits(f.Type); err != nil {
			return err
		}
		f, err = editor.Create(ctx, byCommand(), f)
		if errors.Is(err, flags.ErrExists) {
			return fmt.Errorf("flag %q already exists; see flags change", a.Key)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, a.JSON, flagView(f))
	})
}

type changeFlag struct {
	ofFlag
	flagFields
}

func (*changeFlag) Help() string { return `Options that you leave out do not change.` }

func (c *changeFlag) Run(ctx context.Context, e environment) error {
	patch, err := c.patch(nil)
	if err != nil {
		return plain(err)
	}
	return c.change(ctx, e, c.fits, patch.Apply)
}

type removeFlag struct{ ofFlag }

func (*removeFlag) Help() string {
	return `Programs then use their own default. Adding a flag with the same key restores it with its id and history (for the last 1000 removed flags).`
}

func (r *removeFlag) Run(ctx context.Context, e environment) error {
	return r.editing(ctx, e, func(editor *flags.Editor, m *meta.Store) error {
		t, err := r.target(ctx, m)
		if err != nil {
			return err
		}
		f, err := editor.Flag(ctx, t.Client, t.ID)
		if err == nil {
			err = editor.Remove(ctx, t)
		}
		if errors.Is(err, flags.ErrNotFound) {
			return r.noFlag()
		}
		if err != nil {
			return err
		}
		return showOne(e.out, r.JSON, flagView(f))
	})
}

type scheduleFlag struct {
	ofFlag

	Step  []step `sep:"none" placeholder:"WHEN=ACTION" help:"A step: an instant, a UTC day or a duration from now, and enable, disable or a percentage, such as 2027-01-31T08:00:00Z=25; may be repeated."`
	Clear bool   `help:"Remove all scheduled steps."`
}

func (*scheduleFlag) Help() string {
	return `The new steps replace all earlier ones. Steps take effect at the same time on all servers. Steps that fell due during an outage are applied.`
}

func (s *scheduleFlag) Validate() error {
	if s.Clear == (len(s.Step) > 0) {
		return errors.New("use either --step or --clear")
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
		return errors.New("not a time and enable, disable or a percentage, such as 2027-01-31T08:00:00Z=25")
	}
	s.action = flags.Step{Action: flags.UpdateRollout, Percentage: percentage}
	return nil
}

func (s step) at(now time.Time) flags.Step {
	s.action.At = s.when.after(now)
	return s.action
}
