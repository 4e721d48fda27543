//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// The views are what store/meta keeps, with the names that JSON has for it.
type (
	ownerView struct {
		ID        string    `json:"id"`
		Name      string    `json:"name"`
		CreatedAt time.Time `json:"createdAt"`
	}
	linkView struct {
		ID        string    `json:"id"`
		Owner     string    `json:"owner"`
		Slug      string    `json:"slug"`
		TargetURL string    `json:"targetUrl"`
		Name      string    `json:"name"`
		CreatedAt time.Time `json:"createdAt"`
	}
	monitorView struct {
		ID        string    `json:"id"`
		Owner     string    `json:"owner"`
		Name      string    `json:"name"`
		URL       string    `json:"url"`
		WebsiteID string    `json:"websiteId"`
		CreatedAt time.Time `json:"createdAt"`
	}
)

func viewOwner(o meta.Owner) ownerView       { return ownerView(o) }
func viewLink(l meta.Link) linkView          { return linkView(l) }
func viewMonitor(m meta.Monitor) monitorView { return monitorView(m) }

func (o ownerView) cells() []cell {
	return []cell{{"OWNER", o.ID}, {"NAME", o.Name}, {"CREATED", at(o.CreatedAt)}}
}

func (l linkView) cells() []cell {
	return []cell{
		{"LINK", l.ID}, {"SLUG", l.Slug}, {"TARGET", l.TargetURL}, {"NAME", l.Name},
		{"OWNER", l.Owner}, {"CREATED", at(l.CreatedAt)},
	}
}

func (m monitorView) cells() []cell {
	return []cell{
		{"MONITOR", m.ID}, {"NAME", m.Name}, {"ADDRESS", m.URL}, {"WEBSITE", m.WebsiteID},
		{"OWNER", m.Owner}, {"CREATED", at(m.CreatedAt)},
	}
}

type addOwner struct {
	records

	ID   string `placeholder:"ID" help:"Id that other commands name; made when there is none."`
	Name string `placeholder:"NAME" help:"Name for people."`
}

func (a *addOwner) Validate() error {
	if a.ID == "" && a.Name == "" {
		return errors.New("--name or --id is required")
	}
	return nil
}

func (a *addOwner) Run(ctx context.Context, e environment) error {
	return a.change(ctx, e, func(m *meta.Store) error {
		o, err := m.CreateOwner(ctx, meta.Owner{ID: a.ID, Name: a.Name})
		if errors.Is(err, meta.ErrClientID) {
			return errClientID
		}
		if errors.Is(err, meta.ErrExists) {
			return fmt.Errorf("there is an owner %q already; choose another --id", a.ID)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, a.JSON, viewOwner(o))
	})
}

type listOwners struct{ records }

func (l *listOwners) Run(ctx context.Context, e environment) error {
	return l.read(ctx, e, func(m *meta.Store) error {
		all, err := m.Owners(ctx)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, viewOwner))
	})
}

type changeOwner struct {
	ofOne

	Name string `required:"" placeholder:"NAME" help:"Name for people; the id when it is empty."`
}

func (c *changeOwner) Run(ctx context.Context, e environment) error {
	return changeOne(ctx, e, &c.ofOne, "owner", (*meta.Store).ChangeOwner, func(o *meta.Owner) { o.Name = c.Name }, viewOwner)
}

type removeOwner struct{ ofOne }

func (*removeOwner) Help() string {
	return `Only an owner who has no websites, links and monitors left, and no keys but revoked ones, which go, too. Who adds an owner of the same id gives them the ids of what was removed, and the numbers that lie there.`
}

func (r *removeOwner) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "owner", (*meta.Store).OwnerByID, (*meta.Store).RemoveOwner, viewOwner)
}

type addLink struct {
	owned

	ID     string `placeholder:"ID" help:"Id of the link; made when there is none."`
	Slug   string `placeholder:"SLUG" help:"Last part of the link's address, unique among those of the owner."`
	Target string `required:"" placeholder:"ADDRESS" help:"Address that it leads to, as https://shop.example/sale."`
	Name   string `placeholder:"NAME" help:"Name for people; the slug, else the target, when there is none."`
}

func (a *addLink) Run(ctx context.Context, e environment) error {
	l := meta.Link{ID: a.ID, Owner: a.Owner, Slug: a.Slug, TargetURL: a.Target, Name: a.Name}
	return add(ctx, e, &a.owned, (*meta.Store).CreateLink, l, viewLink, "there is a link of that --id or --slug already; see links list")
}

type listLinks struct{ owned }

func (l *listLinks) Run(ctx context.Context, e environment) error {
	return list(ctx, e, &l.owned, (*meta.Store).Links, viewLink)
}

type changeLink struct {
	ofOne

	Slug   *string `placeholder:"SLUG" help:"Last part of the link's address, unique among those of the owner; empty for none."`
	Target *string `placeholder:"ADDRESS" help:"Address that it leads to, as https://shop.example/sale."`
	Name   *string `placeholder:"NAME" help:"Name for people; the slug, else the target, when it is empty."`
}

func (*changeLink) Help() string { return `What is not named stays.` }

func (c *changeLink) Run(ctx context.Context, e environment) error {
	err := changeOne(ctx, e, &c.ofOne, "link", (*meta.Store).ChangeLink, func(l *meta.Link) {
		assign(&l.Slug, c.Slug)
		assign(&l.TargetURL, c.Target)
		assign(&l.Name, c.Name)
	}, viewLink)
	if errors.Is(err, meta.ErrExists) {
		return errors.New("its owner has a link of that --slug already; see links list")
	}
	return err
}

type removeLink struct{ ofOne }

func (*removeLink) Help() string {
	return `Nothing more is taken for it or shown of it; its visits stay where they are. Its id can be added again by the same owner alone.`
}

func (r *removeLink) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "link", (*meta.Store).Link, (*meta.Store).RemoveLink, viewLink)
}

type addMonitor struct {
	owned

	ID      string `placeholder:"ID" help:"Id of the monitor; made when there is none."`
	URL     string `name:"url" required:"" placeholder:"ADDRESS" help:"Address that is checked, as https://shop.example/."`
	Website string `placeholder:"ID" help:"Id of the website that it is of, when it is of one."`
	Name    string `placeholder:"NAME" help:"Name for people; the address when there is none."`
}

func (a *addMonitor) Run(ctx context.Context, e environment) error {
	m := meta.Monitor{ID: a.ID, Owner: a.Owner, Name: a.Name, URL: a.URL, WebsiteID: a.Website}
	err := add(ctx, e, &a.owned, (*meta.Store).CreateMonitor, m, viewMonitor, fmt.Sprintf("there is a monitor %q already; choose another --id", a.ID))
	if errors.Is(err, store.ErrNotFound) { // an owner that is not there reads otherwise
		return fmt.Errorf("%s has no website %q; see websites list --owner %[1]s", a.Owner, a.Website)
	}
	return err
}

type listMonitors struct{ owned }

func (l *listMonitors) Run(ctx context.Context, e environment) error {
	return list(ctx, e, &l.owned, (*meta.Store).Monitors, viewMonitor)
}

type changeMonitor struct {
	ofOne

	URL     *string `name:"url" placeholder:"ADDRESS" help:"Address that is checked, as https://shop.example/."`
	Website *string `placeholder:"ID" help:"Id of the website that it is of; empty for none."`
	Name    *string `placeholder:"NAME" help:"Name for people; the address when it is empty."`
}

func (*changeMonitor) Help() string { return `What is not named stays.` }

func (c *changeMonitor) Run(ctx context.Context, e environment) error {
	return c.read(ctx, e, func(m *meta.Store) error {
		found, err := m.Monitor(ctx, c.ID)
		if err != nil {
			return c.explain("monitor", err)
		}
		kept, err := m.ChangeMonitor(ctx, c.ID, func(m *meta.Monitor) {
			assign(&m.URL, c.URL)
			assign(&m.WebsiteID, c.Website)
			assign(&m.Name, c.Name)
		})
		if errors.Is(err, store.ErrNotFound) && c.Website != nil {
			return fmt.Errorf("%s has no website %q; see websites list --owner %[1]s", found.Owner, *c.Website)
		}
		if err != nil {
			return err
		}
		return showOne(e.out, c.JSON, viewMonitor(kept))
	})
}

type removeMonitor struct{ ofOne }

func (*removeMonitor) Help() string {
	return `Nothing more is taken for it or shown of it; its checks stay where they are. Its id can be added again by the same owner alone.`
}

func (r *removeMonitor) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "monitor", (*meta.Store).Monitor, (*meta.Store).RemoveMonitor, viewMonitor)
}
