package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/netip"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/store"
)

const websitePath = "/v1/websites/{website_id}"

// websiteRoutes returns the routes that manage websites.
func (a *api) websiteRoutes() []*route {
	type steps = front.Steps[websiteQuestion]
	row := func(method, path, about string, may auth.Permission, body bool, s steps,
		describe func(*describer) described) *route {
		var of []string
		if path == websitePath {
			of, s.Allow = oneWebsite, allowPath[websiteQuestion](a, ofWebsites)
		}
		return &route{Route: front.Route{Method: method, Path: path, Class: auth.ClassOther, May: may, Steps: s},
			about: about, of: of, body: body,
			stores: changes(method, "websites"),
			off:    func(cfg *Config) bool { return cfg.Websites == nil }, describe: describe}
	}
	return []*route{
		row(http.MethodGet, "/v1/websites", "List the websites that the key may manage, with their rules",
			auth.ToManageWebsites(), false,
			steps{Allow: a.allowWebsites, Read: a.readWebsitePage, Answer: a.listManaged},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listManagedWebsites", Tag: tagWebsites,
					NotModified: true, Params: pageParams(listing.MaxLimit),
					Answer: openapi.Of[managedBody](d.reflect)}}
			}),
		row(http.MethodPost, "/v1/websites", "Add a website", auth.ToAddWebsites(), true,
			steps{Allow: a.allowNewWebsite, Read: a.readNewWebsite, Answer: a.addWebsite},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "addWebsite", Tag: tagWebsites,
					Body: openapi.Ref("NewWebsite"), Answer: openapi.Of[websiteBody](d.reflect),
					About: "Only a key that reaches everything of its owner can add websites. The server chooses the id."}, errors: []code{codeConflict}}
			}),
		row(http.MethodGet, websitePath, "Show a website with its rules", auth.ToManageWebsites(), false,
			steps{Answer: a.showWebsite},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getWebsite", Tag: tagWebsites,
					NotModified: true, Params: []openapi.Param{websiteParam()},
					Answer: openapi.Of[websiteBody](d.reflect)}}
			}),
		row(http.MethodPatch, websitePath, "Change a website", auth.ToManageWebsites(), true,
			steps{Read: a.readWebsiteChange, Answer: a.changeWebsite},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "changeWebsite", Tag: tagWebsites,
					Params: []openapi.Param{websiteParam()}, Body: openapi.Ref("WebsitePatch"),
					Answer: openapi.Of[websiteBody](d.reflect),
					About:  "Fields that the body leaves out do not change. Servers apply the change within a second."}, errors: []code{codeConflict}}
			}),
		row(http.MethodDelete, websitePath, "Remove a website, but not its rows", auth.ToManageWebsites(), false,
			steps{Answer: a.removeWebsite},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "removeWebsite", Tag: tagWebsites,
					Params: []openapi.Param{websiteParam()}, Answer: done(),
					About: "Within a second the server accepts no more events for the website, and shows no statistics of it. Its feature flags, saved definitions and profiles are deleted. Its rows stay stored, and its id is never given to another owner."}}
			}),
	}
}

// A websiteQuestion is a decoded request about websites.
type websiteQuestion struct {
	change body.Patch[store.Website]
	page   listing.Page
}

// managedWebsite is a website with its rules in responses.
type managedWebsite struct {
	ID               string         `json:"id"`
	Name             string         `json:"name"`
	Domain           string         `json:"domain"`
	IsPublic         bool           `json:"isPublic"`
	AllowedOrigins   []string       `json:"allowedOrigins"`
	AllowedAddresses []netip.Prefix `json:"allowedAddresses"`
	BlockedAddresses []netip.Prefix `json:"blockedAddresses"`
	KeyedEvents      bool           `json:"keyedEvents"`
	MonthlyEvents    int64          `json:"monthlyEvents"`
	Paused           bool           `json:"paused"`
	RetentionDays    int            `json:"retentionDays"`
	KeepTotals       bool           `json:"keepTotals"`
	CreatedAt        health.Time    `json:"createdAt"`
}

func managedOf(w store.Website) managedWebsite {
	r := w.Rules
	return managedWebsite{
		ID: w.ID, Name: w.Name, Domain: w.Domain, IsPublic: w.IsPublic, AllowedOrigins: listed(r.AllowedOrigins),
		AllowedAddresses: listed(r.AllowedAddresses),
		BlockedAddresses: listed(r.BlockedAddresses), KeyedEvents: r.KeyedEvents, MonthlyEvents: r.MonthlyEvents,
		Paused: r.Paused, RetentionDays: r.RetentionDays,
		KeepTotals: r.KeepTotals, CreatedAt: health.Time{Time: w.CreatedAt},
	}
}

// websiteBody is the response with one website.
type websiteBody struct {
	Success bool           `json:"success"`
	Website managedWebsite `json:"website"`
}

// managedBody is the response with websites and their rules.
type managedBody struct {
	Success  bool             `json:"success"`
	Websites []managedWebsite `json:"websites"`
	Next     *string          `json:"next"` // null on the last page
}

// ofWebsites tells callers which keys may use these routes.
const ofWebsites = allRows + "a change concerns all rows of a website"

// allowWebsites checks that the caller may manage websites.
func (a *api) allowWebsites(_ context.Context, r *front.Request, _ *websiteQuestion) error {
	return permit(r, r.Route.May, ofWebsites)
}

// allowNewWebsite checks that the caller also reaches the website that it adds.
func (a *api) allowNewWebsite(_ context.Context, r *front.Request, _ *websiteQuestion) error {
	if err := permit(r, auth.ToManageWebsites(), ofWebsites); err != nil {
		return err
	}
	return permit(r, r.Route.May,
		"needs an API key that reaches everything of its owner, because it must reach the websites that it adds")
}

// listManaged answers with a page of the websites that the caller may manage.
func (a *api) listManaged(ctx context.Context, r *front.Request, q *websiteQuestion) (*front.Answer, error) {
	read := func(page listing.Page) ([]store.Website, error) {
		return a.cfg.Websites.WebsitePage(ctx, r.Key().Owner, page)
	}
	found, next, err := pageOf(q.page, read, store.Website.Position, func(w store.Website) bool {
		return reaches(r, auth.Resource{Kind: auth.KindWebsite, ID: w.ID, Owner: w.Owner})
	})
	if err != nil {
		return nil, err
	}
	body := managedBody{true, []managedWebsite{}, next}
	for _, w := range found {
		body.Websites = append(body.Websites, managedOf(w))
	}
	return tagged(body)
}

// readWebsitePage decodes the URL.
func (a *api) readWebsitePage(_ context.Context, r *front.Request, q *websiteQuestion) (err error) {
	q.page, err = readPage(r, listing.DefaultLimit)
	return err
}

// addWebsite stores a new website of the caller's owner.
func (a *api) addWebsite(ctx context.Context, r *front.Request, q *websiteQuestion) (*front.Answer, error) {
	w := store.Website{Owner: r.Key().Owner}
	q.change.Apply(&w)
	w, err := a.cfg.Websites.CreateWebsite(ctx, w)
	if err != nil {
		return nil, err
	}
	r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: w.ID, Owner: w.Owner}
	return front.JSON(websiteBody{true, managedOf(w)})
}

// showWebsite answers with the website in the path.
func (a *api) showWebsite(ctx context.Context, r *front.Request, _ *websiteQuestion) (*front.Answer, error) {
	w, err := a.cfg.Websites.Website(ctx, r.Resource.ID)
	if err != nil {
		return nil, a.vanished(r, err)
	}
	return tagged(websiteBody{true, managedOf(w)})
}

// changeWebsite changes the fields in the body.
func (a *api) changeWebsite(ctx context.Context, r *front.Request, q *websiteQuestion) (*front.Answer, error) {
	w, err := a.cfg.Websites.ChangeWebsite(ctx, r.Resource.ID, q.change.Apply)
	if err != nil {
		return nil, a.vanished(r, err)
	}
	return front.JSON(websiteBody{true, managedOf(w)})
}

// removeWebsite removes the website in the path.
func (a *api) removeWebsite(ctx context.Context, r *front.Request, _ *websiteQuestion) (*front.Answer, error) {
	if err := a.cfg.Websites.RemoveWebsite(ctx, r.Resource.ID); err != nil {
		return nil, a.vanished(r, err)
	}
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}

// vanished returns err, or the error for an unknown website if the website was removed meanwhile: the directory may be
// a second late.
func (a *api) vanished(r *front.Request, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return a.unreached(r, auth.KindWebsite, r.Route.May)
	}
	return err
}

// websiteFields are the fields of a website in bodies.
var websiteFields = body.Of(
	body.Member("name", func(w *store.Website) *string { return &w.Name }).Called("label").
		Shaped(&openapi.Schema{Type: openapi.Types{"string"}, Description: "Empty: the domain",
			MaxLength: store.MaxLabel}),
	body.Member("domain", func(w *store.Website) *string { return &w.Domain }).Called("host", "url").
		Shaped(openapi.Text("The host, such as `shop.example`. Its pages and those of its subdomains may send events")),
	body.Member("isPublic", func(w *store.Website) *bool { return &w.IsPublic }).Called("public").
		Shaped(openapi.Truth("Shown in lists; it grants no access")),
	body.List("allowedOrigins", func(w *store.Website) *[]string { return &w.Rules.AllowedOrigins }).Called("origins").
		Shaped(openapi.List("Further pages that may send events: a host, `*.host`, `*`, `null`, or the origin of an app such as `capacitor://localhost`. With a list, events without an origin are rejected.", openapi.Text(""), 0, store.MaxRules)),
	body.Custom("allowedAddresses", func(w *store.Website) *[]netip.Prefix { return &w.Rules.AllowedAddresses },
		readNetworks).Shaped(networksSchema("The only networks that may send events; empty: all.")),
	body.Custom("blockedAddresses", func(w *store.Website) *[]netip.Prefix { return &w.Rules.BlockedAddresses },
		readNetworks).Shaped(networksSchema("Networks that may not send events.")),
	body.Member("keyedEvents", func(w *store.Website) *bool { return &w.Rules.KeyedEvents }).
		Shaped(openapi.Truth("Custom events need a key")),
	body.Member("monthlyEvents", func(w *store.Website) *int64 { return &w.Rules.MonthlyEvents }).Called("quota").
		Shaped(openapi.Whole("Events that are accepted in a UTC month; 0: no limit", 0, -1)),
	body.Member("paused", func(w *store.Website) *bool { return &w.Rules.Paused }).Called("disabled").
		Shaped(openapi.Truth("All events are rejected, with and without a key")),
	body.Member("retentionDays", func(w *store.Website) *int { return &w.Rules.RetentionDays }).Called("retention").
		Shaped(openapi.Any("Rows that are older are removed, and do not come back. 0 keeps all.",
			&openapi.Schema{Type: openapi.Types{"integer"}, Const: 0},
			openapi.Whole("", store.MinRetention, store.MaxRetention))),
	body.Member("keepTotals", func(w *store.Website) *bool { return &w.Rules.KeepTotals }).
		Shaped(openapi.Truth("The totals of removed days stay, for answers without filters")),
)

// networksSchema is the schema of a list of networks.
func networksSchema(about string) *openapi.Schema {
	return openapi.List(about+" Each is an address or a network such as `203.0.113.0/24`.", openapi.Text(""), 0,
		store.MaxRules)
}

// readNewWebsite reads the body of a new website.
func (a *api) readNewWebsite(_ context.Context, r *front.Request, q *websiteQuestion) error {
	patch, bad, err := readFields(a, r, websiteFields)
	if err != nil {
		return err
	}
	if q.change = patch; !patch.Gives("domain") {
		bad.AddNew(about("domain", mistake.Required))
	}
	return bad.Err()
}

// readWebsiteChange reads the body of a change.
func (a *api) readWebsiteChange(_ context.Context, r *front.Request, q *websiteQuestion) error {
	patch, bad, err := readFields(a, r, websiteFields)
	if err != nil {
		return err
	}
	q.change = patch
	return bad.Err()
}

// readNetworks reads a list of networks or addresses.
func readNetworks(m body.Mistakes, at body.Path, v body.Value, into *[]netip.Prefix) {
	var texts []string
	if !body.Items(m, at, v, &texts) {
		return
	}
	*into = make([]netip.Prefix, len(texts))
	for i, text := range texts {
		network, err := netip.ParsePrefix(text)
		if addr, wrong := netip.ParseAddr(text); wrong == nil && addr.Zone() == "" {
			network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if (*into)[i] = network; err != nil {
			m.Wrong(at.Item(i), "must be an address or a network such as 203.0.113.0/24, not "+shortened(text), "")
		}
	}
}
