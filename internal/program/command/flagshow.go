package command

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store/meta"
)

type evaluateFlag struct {
	ofClient

	Flag         []string   `arg:"" optional:"" help:"Keys. Default: all flags of the environment."`
	User         string     `placeholder:"ID" help:"Id of the user."`
	Email        string     `placeholder:"ADDRESS" help:"Email address of the user."`
	Organization string     `placeholder:"ID" help:"Id of the user's organisation."`
	Team         string     `placeholder:"ID" help:"Id of the user's team."`
	Environment  string     `placeholder:"NAME" help:"Environment; flags of other environments are not evaluated."`
	Property     []property `sep:"none" placeholder:"NAME=JSON" help:"A property of the context. Values that are not JSON are texts. May be repeated."`
	At           instant    `placeholder:"WHEN" help:"Evaluate for this time: a UTC day, an instant, or a duration from now."`
}

// A property of the context.
type property struct {
	name  string
	value any
}

func (p *property) UnmarshalText(text []byte) error {
	name, value, ok := strings.Cut(string(text), "=")
	if !ok {
		return errors.New("not a name and a value, such as plan=pro")
	}
	p.name, p.value = name, value
	if json.Valid([]byte(value)) {
		return json.Unmarshal([]byte(value), &p.value)
	}
	return nil
}

func (v *evaluateFlag) Run(ctx context.Context, e environment) error {
	c := flags.Context{Environment: v.Environment, UserID: v.User, Email: v.Email, OrganizationID: v.Organization,
		TeamID: v.Team, Properties: map[string]any{}}
	for _, p := range v.Property {
		c.Properties[p.name] = p.value
	}
	now := e.now()
	if when := v.At.after(now); !when.IsZero() {
		now = when
	}
	return v.editing(ctx, e, func(_ *flags.Editor, m *meta.Store) error {
		if err := c.Check(); err != nil {
			return err
		}
		set, err := m.Flags().Load(ctx, v.client)
		if err != nil {
			return err
		}
		return showAll(e.out, v.JSON, v.results(flags.NewIndex(set), &c, now))
	})
}

func (v *evaluateFlag) results(x *flags.Index, c *flags.Context, now time.Time) []resultView {
	keys := v.Flag
	if len(keys) == 0 {
		keys = slices.Sorted(maps.Keys(x.EvaluateAll(c, now)))
	}
	return mapped(keys, func(key string) resultView { return resultView{key, x.Evaluate(key, c, now)} })
}

// resultView shows the result of one flag.
type resultView struct {
	Key string `json:"key"`
	flags.Result
}

func (r resultView) cells() []cell {
	value, err := r.Value.MarshalJSON()
	if err != nil || r.Value.None {
		value = nil
	}
	return []cell{
		{"FLAG", r.Key}, {"ENABLED", strconv.FormatBool(r.Enabled)}, {"VALUE", string(value)}, {"VARIANT", r.Variant},
		{"REASON", string(r.Reason)}, {"PAYLOAD", string(r.Payload)},
	}
}

type flagHistory struct {
	ofFlag

	Limit int `default:"100" help:"Maximum number of changes, up to 1000."`
}

func (h *flagHistory) Run(ctx context.Context, e environment) error {
	return h.editing(ctx, e, func(editor *flags.Editor, m *meta.Store) error {
		t, err := h.target(ctx, m)
		if err != nil {
			return err
		}
		all, err := editor.History(ctx, t, 0, h.Limit)
		if errors.Is(err, flags.ErrNotFound) {
			return h.noFlag()
		}
		if err != nil {
			return err
		}
		return showAll(e.out, h.JSON, mapped(all, func(c flags.Change) changeView { return changeView(c) }))
	})
}

// changeView shows a change of a flag.
type changeView flags.Change

func (c changeView) cells() []cell {
	return []cell{
		{"TIME", at(c.At)}, {"REVISION", strconv.FormatInt(c.Revision, 10)}, {"EVENT", string(c.Event)},
		{"BY", strings.TrimSuffix(c.Actor.Kind+" "+c.Actor.ID, " ")}, {"CHANGED", strings.Join(c.changed(), ", ")},
	}
}

// changed returns the names of the fields that the change set, changed or removed.
func (c changeView) changed() (fields []string) {
	if c.Before == nil || c.After == nil {
		return nil
	}
	before, after := fieldsOf(c.Before), fieldsOf(c.After)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if name != "revision" && name != "updatedAt" && string(before[name]) != string(after[name]) {
			fields = append(fields, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, found := after[name]; !found {
			fields = append(fields, name)
		}
	}
	return fields
}

func fieldsOf(f *flags.Flag) (fields map[string]json.RawMessage) {
	js, err := json.Marshal(f)
	if err != nil || json.Unmarshal(js, &fields) != nil {
		return nil
	}
	return fields
}
