package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// The views show records of store/meta, with field names for JSON.
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

	ID   string `placeholder:"ID" help:"Id of the owner, for other commands. Default: a random id."`
	Name string `placeholder:"NAME" help:"Display name."`
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
			return fmt.Errorf("owner %q already exists; choose another --id", a.ID)
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

	Name string `required:"" placeholder:"NAME" help:"Display name. Empty: the id."`
}

func (c *changeOwner) Run(ctx context.Context, e environment) error {
	return changeOne(ctx, e, &c.ofOne, "owner", (*meta.Store).ChangeOwner, func(o *meta.Owner) { o.Name = c.Name },
		viewOwner)
}

type removeOwner struct{ ofOne }

func (*removeOwner) Help() string {
	return `Remove all websites, links and monitors of the owner first, and revoke the keys, which are then removed too. An owner created later with the same id can see the statistics of the removed one.`
}

func (r *removeOwner) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "owner", (*meta.Store).OwnerByID, (*meta.Store).RemoveOwner, viewOwner)
}

type addLink struct {
	owned

	ID     string `placeholder:"ID" help:"Id of the link. Default: a random id."`
	Slug   string `placeholder:"SLUG" help:"Last part of the link's address, unique for the owner."`
	Target string `required:"" placeholder:"ADDRESS" help:"Target address, such as https://shop.example/sale."`
	Name   string `placeholder:"NAME" help:"Display name. Default: the slug, else the target."`
}

func (a *addLink) Run(ctx context.Context, e environment) error {
	l := meta.Link{ID: a.ID, Owner: a.Owner, Slug: a.Slug, TargetURL: a.Target, Name: a.Name}
	return add(ctx, e, &a.owned, (*meta.Store).CreateLink, l, viewLink,
		"a link with this --id or --slug already exists; see links list")
}

type listLinks struct{ owned }

func (l *listLinks) Run(ctx context.Context, e environment) error {
	return list(ctx, e, &l.owned, (*meta.Store).Links, viewLink)
}

type changeLink struct {
	ofOne

	Slug   *string `placeholder:"SLUG" help:"Last part of the link's address, unique for the owner. Empty: no slug."`
	Target *string `placeholder:"ADDRESS" help:"Target address, such as https://shop.example/sale."`
	Name   *string `placeholder:"NAME" help:"Display name. Empty: the slug, else the target."`
}

func (*changeLink) Help() string { return `Options that you leave out do not change.` }

func (c *changeLink) Run(ctx context.Context, e environment) error {
	err := changeOne(ctx, e, &c.ofOne, "link", (*meta.Store).ChangeLink, func(l *meta.Link) {
		assign(&l.Slug, c.Slug)
		assign(&l.TargetURL, c.Target)
		assign(&l.Name, c.Name)
	}, viewLink)
	if errors.Is(err, meta.ErrExists) {
		return errors.New("the owner already has a link with this --slug; see links list")
	}
	return err
}

type removeLink struct{ ofOne }

func (*removeLink) Help() string {
	return `The server no longer counts visits of the link or shows statistics of it. Stored visits are not deleted. Only the same owner can add the id again.`
}

func (r *removeLink) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "link", (*meta.Store).Link, (*meta.Store).RemoveLink, viewLink)
}

type addMonitor struct {
	owned

	ID      string `placeholder:"ID" help:"Id of the monitor. Default: a random id."`
	URL     string `name:"url" required:"" placeholder:"ADDRESS" help:"Address to check, such as https://shop.example/."`
	Website string `placeholder:"ID" help:"Id of the website the monitor belongs to (optional)."`
	Name    string `placeholder:"NAME" help:"Display name. Default: the address."`
}

func (a *addMonitor) Run(ctx context.Context, e environment) error {
	m := meta.Monitor{ID: a.ID, Owner: a.Owner, Name: a.Name, URL: a.URL, WebsiteID: a.Website}
	err := add(ctx, e, &a.owned, (*meta.Store).CreateMonitor, m, viewMonitor,
		fmt.Sprintf("monitor %q already exists; choose another --id", a.ID))
	if errors.Is(err, store.ErrNotFound) { // the website; an unknown owner has another error
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

	URL     *string `name:"url" placeholder:"ADDRESS" help:"Address to check, such as https://shop.example/."`
	Website *string `placeholder:"ID" help:"Id of the website the monitor belongs to. Empty: no website."`
	Name    *string `placeholder:"NAME" help:"Display name. Empty: the address."`
}

func (*changeMonitor) Help() string { return `Options that you leave out do not change.` }

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
	return `The server no longer accepts checks of the monitor or shows statistics of it. Stored checks are not deleted. Only the same owner can add the id again.`
}

func (r *removeMonitor) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "monitor", (*meta.Store).Monitor, (*meta.Store).RemoveMonitor, viewMonitor)
}
