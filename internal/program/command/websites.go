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

// websiteView shows a store.Website, with field names for JSON.
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

// rulesText describes the rules that differ from the defaults of a new website.
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
	if r.RetentionDays > 0 {
		text := fmt.Sprintf("rows for %d days", r.RetentionDays)
		if r.KeepTotals {
			text += ", then totals"
		}
		parts = append(parts, text)
	}
	if r.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, "; ")
}

type addWebsite struct {
	owned

	ID     string `placeholder:"ID" help:"Id of the website. Default: a random id."`
	Name   string `placeholder:"NAME" help:"Display name. Default: the domain."`
	Domain string `required:"" placeholder:"HOST" help:"Host of the website, such as shop.example."`
	Public bool   `help:"List the website as public. This grants no access."`

	Retention  int  `placeholder:"DAYS" help:"Remove rows that are older than this many days; 0 keeps all."`
	KeepTotals bool `help:"Keep the totals of removed days, for answers without filters."`
}

func (a *addWebsite) Run(ctx context.Context, e environment) error {
	w := store.Website{ID: a.ID, Owner: a.Owner, Name: a.Name, Domain: a.Domain, IsPublic: a.Public,
		Rules: store.Rules{RetentionDays: a.Retention, KeepTotals: a.KeepTotals}}
	return add(ctx, e, &a.owned, (*meta.Store).CreateWebsite, w, viewWebsite,
		fmt.Sprintf("website %q already exists; choose another --id", a.ID))
}

type listWebsites struct{ owned }

func (l *listWebsites) Run(ctx context.Context, e environment) error {
	return list(ctx, e, &l.owned, (*meta.Store).Websites, viewWebsite)
}

type changeWebsite struct {
	ofOne

	Name          *string    `placeholder:"NAME" help:"Display name. Empty: the domain."`
	Domain        *string    `placeholder:"HOST" help:"Host of the website, such as shop.example."`
	Public        *bool      `negatable:"" help:"List the website as public. This grants no access."`
	AllowOrigin   []string   `placeholder:"HOST" help:"Origin whose pages may send events, beside the domain and its subdomains: shop.example, *.shop.example, localhost, * for any host, null for pages without an origin, or the origin of an app such as capacitor://localhost. May be repeated. With this option, events without an origin are rejected."`
	AllowAddress  []networks `placeholder:"CIDR" help:"Network or address that may send events. May be repeated. All others are rejected."`
	BlockAddress  []networks `placeholder:"CIDR" help:"Network or address that may not send events. May be repeated."`
	KeyedEvents   *bool      `negatable:"" help:"Accept custom events only with a key."`
	MonthlyEvents *int64     `placeholder:"N" help:"Quota of events per UTC month; 0 means no quota."`
	Paused        *bool      `negatable:"" help:"Reject all events, with or without a key."`
	Retention     *int       `placeholder:"DAYS" help:"Remove rows that are older than this many days; 0 keeps all. Removed rows do not come back."`
	KeepTotals    *bool      `negatable:"" help:"Keep the totals of removed days, for answers without filters. Without it, totals that were kept are removed, too."`
}

func (*changeWebsite) Help() string {
	return `Options that you leave out do not change. A list replaces the earlier list; the word none empties it. Origins and addresses are checked for events without a key. Servers see the change within a second.`
}

func (c *changeWebsite) Run(ctx context.Context, e environment) error {
	return changeOne(ctx, e, &c.ofOne, "website", (*meta.Store).ChangeWebsite, c.amend, viewWebsite)
}

// amend applies the given options.
func (c *changeWebsite) amend(w *store.Website) {
	assign(&w.Name, c.Name)
	assign(&w.Domain, c.Domain)
	assign(&w.IsPublic, c.Public)
	assign(&w.Rules.KeyedEvents, c.KeyedEvents)
	assign(&w.Rules.MonthlyEvents, c.MonthlyEvents)
	assign(&w.Rules.Paused, c.Paused)
	assign(&w.Rules.RetentionDays, c.Retention)
	assign(&w.Rules.KeepTotals, c.KeepTotals)
	if len(c.AllowOrigin) > 0 {
		w.Rules.AllowedOrigins = slices.DeleteFunc(slices.Clone(c.AllowOrigin),
			func(s string) bool { return s == none })
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
	return `The server no longer accepts events for the website or shows statistics of it. Its feature flags are deleted; its stored events are not. Only the same owner can add the id again, because its statistics then become visible again.`
}

func (r *removeWebsite) Run(ctx context.Context, e environment) error {
	return removeOne(ctx, e, &r.ofOne, "website", (*meta.Store).Website, (*meta.Store).RemoveWebsite, viewWebsite)
}
