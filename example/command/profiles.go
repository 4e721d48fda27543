//go:build cgo

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

// profileView is a store.Profile with the names that JSON has for it.
type profileView struct {
	Website   string         `json:"websiteId"`
	ID        string         `json:"profileId"`
	Name      string         `json:"name"`
	Traits    map[string]any `json:"traits"`
	Keyed     bool           `json:"keyed"`
	ChangedAt time.Time      `json:"changedAt"`
}

func (p profileView) cells() []cell {
	traits, err := json.Marshal(p.Traits) // keys in their order
	if err != nil {
		traits = []byte(err.Error())
	}
	return []cell{{"PROFILE", p.ID}, {"NAME", p.Name}, {"TRAITS", string(traits)}, {"KEYED", strconv.FormatBool(p.Keyed)}, {"CHANGED", at(p.ChangedAt)}}
}

// ofProfile are the flags of commands about one person.
type ofProfile struct {
	records

	Website string `required:"" placeholder:"ID" help:"Id of the website."`
	ID      string `arg:"" help:"Profile id, as events and identify name it."`
}

// run shows a profile after what then does with it.
func (p *ofProfile) run(ctx context.Context, e environment, then func(*meta.Store) error) error {
	return p.read(ctx, e, func(m *meta.Store) error {
		kept, err := m.Profile(ctx, p.Website, p.ID)
		if err == nil {
			err = then(m)
		}
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("nothing is known of a profile %q of website %q", p.ID, p.Website)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, p.JSON, profileView{kept.Website, kept.ID, kept.Name, kept.Traits, kept.Keyed, kept.ChangedAt})
	})
}

type showProfile struct{ ofProfile }

func (s *showProfile) Run(ctx context.Context, e environment) error {
	return s.run(ctx, e, func(*meta.Store) error { return nil })
}

type removeProfile struct{ ofProfile }

func (*removeProfile) Help() string {
	return `Name and traits go at once, and nothing keeps a sender from telling them again. Events keep the profile id: erase the website's data to be rid of them.`
}

func (r *removeProfile) Run(ctx context.Context, e environment) error {
	return r.run(ctx, e, func(m *meta.Store) error { return m.RemoveProfile(ctx, r.Website, r.ID) })
}
