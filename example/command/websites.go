//go:build cgo

package command

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// websiteView is a store.Website with the names that JSON has for it.
type websiteView struct {
	ID        string      `json:"id"`
	Owner     string      `json:"owner"`
	Name      string      `json:"name"`
	Domain    string      `json:"domain"`
	IsPublic  bool        `json:"isPublic"`
	Rules     store.Rules `json:"rules"`
	CreatedAt time.Time   `json:"createdAt"`
}

func viewWebsite(w store.Website) websiteView {
	return websiteView{w.ID, w.Owner, w.Name, w.Domain, w.IsPublic, w.Rules, w.CreatedAt}
}

func (w websiteView) cells() []cell {
	return []cell{
		{"WEBSITE", w.ID}, {"NAME", w.Name}, {"DOMAIN", w.Domain}, {"PUBLIC", strconv.FormatBool(w.IsPublic)},
		{"RULES", rulesText(w.Rules)}, {"OWNER", w.Owner}, {"CREATED", at(w.CreatedAt)},
	}
}

// rulesText tells the rules that differ from those of a new website.
func rulesText(r store.Rules) string {
	var parts []string
	for _, list := range []struct {
		name   string
		values []string
	}{
		{"origins", r.AllowedOrigins},
		{"addresses", mapped(r.AllowedAddresses, netip.Prefix.String)},
		{"blocked", mapped(r.BlockedAddresses, netip.Prefix.String)},
	} {
		if len(list.values) > 0 {
			parts = append(parts, list.name+" "+strings.Join(list.values, ","))
		}
	}
	if r.KeyedEvents {
		parts = append(parts, "keyed events")
	}
	if r.MonthlyEvents > 0 {
		parts = append(parts, fmt.Sprintf("%d events a month", r.MonthlyEvents))
	}
	if r.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, "; ")
}

type addWebsite struct {
	owned

	ID     string `placeholder:"ID" help:"Id of the website; made when there is none."`
	Name   string `placeholder:"NAME" help:"Name for people; the domain when there is none."`
	Domain string `required:"" placeholder:"HOST" help:"Host of the website, as shop.example."`
	Public bool   `help:"List it as public; that opens nothing."`
}

func (a *addWebsite) Run(ctx context.Context, e environment) error {
	w := store.Website{ID: a.ID, Owner: a.Owner, Name: a.Name, Domain: a.Domain, IsPublic: a.Public}
	return add(ctx, e, &a.owned, (*meta.Store).CreateWebsite, w, viewWebsite, fmt.Sprintf("there is a website %q already; choose another --id", a.ID))
}

type listWebsites struct{ owned }

func (l *listWebsites) Run(ctx context.Context, e environment) error {
	return list(ctx, e, &l.owned, (*meta.Store).Websites, viewWebsite)
}

type changeWebsite struct {
	ofOne

	Name          *string    `placeholder:"NAME" help:"Name for people; the domain when it is empty."`
	Domain        *string    `placeholder:"HOST" help:"Host of the website, as shop.example."`
	Public        *bool      `negatable:"" help:"List it as public; that opens nothing."`
	AllowOrigin   []string   `placeholder:"HOST" help:"Origin whose pages may send events, beside the domain and its subdomains: shop.example, *.shop.example, localhost, * for any host, null for pages without an origin of their own, or the origin of an app such as capacitor://localhost. May be repeated. If there are any, events without an origin are refused."`
	AllowAddress  []networks `placeholder:"CIDR" help:"Network or address that events may come from; may be repeated. When there are some, all others are refused."`
	BlockAddress  []networks `placeholder:"CIDR" help:"Network or address that no events may come from; may be repeated."`
	KeyedEvents   *bool      `negatable:"" help:"Take custom events from senders with a key alone."`
	MonthlyEvents *int64     `placeholder:"N" help:"Events that are taken in a month of UTC; 0 means no bound."`
	Paused        *bool      `negatable:"" help:"Take no events, with a key neither."`
}

func (*changeWebsite) Help() string {
	return `What is not named stays. A list takes the place of the one before; the word none empties it. Origins and addresses are asked of senders without a key. Servers see the change within a second.`
}

func (c *changeWebsite) Run(ctx context.Context, e environment) error {
	return changeOne(ctx, e, &c.ofOne, "website", (*meta.Store).ChangeWebsite, c.amend, viewWebsite)
}

// amend changes what is named.
func (c *changeWebsite) amend(w *store.Website) {
	assign(&w.Name, c.Name)
	assign(&w.Domain, c.Domain)
	assign(&w.IsPublic, c.Public)
	assign(&w.Rules.KeyedEvents, c.KeyedEvents)
	assign(&w.Rules.MonthlyEvents, c.MonthlyEvents)
	assign(&w.Rules.Paused, c.Paused)
	if len(c.AllowOrigin) > 0 {
		w.Rules.AllowedOrigins = slices.DeleteFunc(slices.Clone(c.AllowOrigin), func(s string) bool { return s == none })
	}
	if len(c.AllowAddress) > 0 {
		w.Rules.AllowedAddresses = slices.Concat(c.AllowAddress...)
	}
	if len(c.BlockAddress) > 0 {
		w.Rules.BlockedAddresses = slices.Concat(c.BlockAddress...)
	}
}

type removeWebsite struct{ ofOne }

func (*removeWebsite) Help() string {
	return `Nothing more is taken for it or shown of it; its feature flags go, and its events stay where they are. Its id can be added again by the same owner alone, since whoever has it sees those events.`
}

func (r *removeWebsite) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "website", (*meta.Store).Website, (*meta.Store).RemoveWebsite, viewWebsite)
}
