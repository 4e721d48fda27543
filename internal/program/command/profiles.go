package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// profileView shows a store.Profile, with field names for JSON.
type profileView struct {
	Website   string         `json:"websiteId"`
	ID        string         `json:"profileId"`
	Name      string         `json:"name"`
	Traits    map[string]any `json:"traits"`
	Keyed     bool           `json:"keyed"`
	ChangedAt time.Time      `json:"changedAt"`
}

func (p profileView) cells() []cell {
	traits, err := json.Marshal(p.Traits) // keys are sorted
	if err != nil {
		traits = []byte(err.Error())
	}
	return []cell{{"PROFILE", p.ID}, {"NAME", p.Name}, {"TRAITS", string(traits)},
		{"KEYED", strconv.FormatBool(p.Keyed)}, {"CHANGED", at(p.ChangedAt)}}
}

// ofProfile has the options of commands about one profile.
type ofProfile struct {
	records

	Website string `required:"" placeholder:"ID" help:"Id of the website."`
	ID      string `arg:"" help:"Profile id, as in events and /identify."`
}

// run reads a profile, calls then, and shows the profile.
func (p *ofProfile) run(ctx context.Context, e environment, then func(*meta.Store) error) error {
	return p.read(ctx, e, func(m *meta.Store) error {
		found, err := m.Profile(ctx, p.Website, p.ID)
		if err == nil {
			err = then(m)
		}
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("profile %q of website %q does not exist", p.ID, p.Website)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, p.JSON,
			profileView{found.Website, found.ID, found.Name, found.Traits, found.Keyed, found.ChangedAt})
	})
}

type showProfile struct{ ofProfile }

func (s *showProfile) Run(ctx context.Context, e environment) error {
	return s.run(ctx, e, func(*meta.Store) error { return nil })
}

type removeProfile struct{ ofProfile }

func (*removeProfile) Help() string {
	return `Name and traits are deleted immediately, but senders can store them again. Events are not changed and still have the profile id.`
}

func (r *removeProfile) Run(ctx context.Context, e environment) error {
	return r.run(ctx, e, func(m *meta.Store) error { return m.RemoveProfile(ctx, r.Website, r.ID) })
}
