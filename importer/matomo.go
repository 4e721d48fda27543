package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// This file reads what Matomo's API method Live.getLastVisitsDetails returns with format=JSON: a list of visits, each
// with its actions.

// A matomoVisit has the fields of a visit that are imported. Matomo writes numbers as numbers or as text.
type matomoVisit struct {
	ID             loose          `json:"idVisit"`
	Visitor        loose          `json:"visitorId"`
	User           loose          `json:"userId"`
	Actions        []matomoAction `json:"actionDetails"`
	ReferrerType   loose          `json:"referrerType"`
	ReferrerURL    loose          `json:"referrerUrl"`
	ReferrerName   loose          `json:"referrerName"`
	SearchEngine   loose          `json:"referrerSearchEngineUrl"`
	SocialNetwork  loose          `json:"referrerSocialNetworkUrl"`
	CampaignSource loose          `json:"campaignSource"`
	CampaignMedium loose          `json:"campaignMedium"`
	CampaignName   loose          `json:"campaignName"`
	Country        loose          `json:"countryCode"`
	Region         loose          `json:"region"`
	City           loose          `json:"city"`
	Browser        loose          `json:"browserName"`
	BrowserVersion loose          `json:"browserVersion"`
	System         loose          `json:"operatingSystemName"`
	SystemVersion  loose          `json:"operatingSystemVersion"`
	Device         loose          `json:"deviceType"`
	Language       loose          `json:"languageCode"`
	Resolution     loose          `json:"resolution"`
}

type matomoAction struct {
	Type     loose `json:"type"`
	URL      loose `json:"url"`
	Title    loose `json:"pageTitle"`
	Time     loose `json:"timestamp"`
	ID       loose `json:"pageId"`
	Load     loose `json:"pageLoadTimeMilliseconds"`
	Category loose `json:"eventCategory"`
	Action   loose `json:"eventAction"`
	Name     loose `json:"eventName"`
	Value    loose `json:"eventValue"`

	Goal       loose `json:"goalName"`
	GoalID     loose `json:"goalId"`
	Keyword    loose `json:"siteSearchKeyword"` // before version 4 it is in Title
	SearchedIn loose `json:"siteSearchCategory"`
	Results    loose `json:"siteSearchCount"`
	Order      loose `json:"orderId"`
	Revenue    loose `json:"revenue"`
	Subtotal   loose `json:"revenueSubTotal"`
	Tax        loose `json:"revenueTax"`
	Shipping   loose `json:"revenueShipping"`
	Discount   loose `json:"revenueDiscount"`
	Items      loose `json:"items"`
}

// A loose text is a string, a number or null in JSON. Other values are absent.
type loose string

func (l *loose) UnmarshalJSON(text []byte) error {
	var s string
	switch {
	case text[0] == '"':
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
	case text[0] == '-' || '0' <= text[0] && text[0] <= '9':
		s = string(text)
	}
	*l = loose(s)
	return nil
}

func isMatomo(line []byte) bool {
	if !bytes.ContainsAny(line[:1], "[{") {
		return false
	}
	return bytes.Contains(line, []byte(`"idVisit"`)) || len(bytes.Trim(line, "[] \t\r")) == 0
}

func parseMatomo(text []byte, out *found) error {
	var v matomoVisit
	if err := json.Unmarshal(text, &v); err != nil {
		return malformed(err.Error())
	}
	if v.ID == "" {
		return malformed("no idVisit")
	}
	left, entered := "", false
	for i := range v.Actions {
		r, ok := v.record(i)
		if !ok {
			left = string(v.Actions[i].Type)
			continue
		}
		if r.Kind == store.Pageview && !entered { // actions before it cannot have a source
			v.origin(&r)
			entered = true
		}
		out.records = append(out.records, r)
	}
	if left != "" || len(v.Actions) == 0 {
		return &skipError{OtherKind, "an action of the type " + strconv.Quote(left)}
	}
	return nil
}

// record returns the record of the i-th action; ok is false if it is of a type that is not imported.
func (v *matomoVisit) record(i int) (r Record, ok bool) {
	a := &v.Actions[i]
	seconds, _ := strconv.ParseInt(string(a.Time), 10, 64)
	r = Record{
		ID: string(v.ID) + "/" + cmp.Or(string(a.ID), "n"+strconv.Itoa(i)), URL: string(a.URL), Title: string(a.Title),
		Visitor: string(v.Visitor), Session: string(v.ID), Profile: string(v.User),
		Language: string(v.Language), Screen: string(v.Resolution), Agent: v.agent(),
	}
	if seconds > 0 {
		r.Time = time.Unix(seconds, 0)
	}
	switch a.Type {
	case "action":
		if n, err := strconv.ParseFloat(string(a.Load), 64); err == nil && n >= 0 && n <= 600_000 {
			r.LoadTime = store.Known(int64(n))
		}
	case "event":
		r.Kind, r.Name = store.Custom, string(a.Action)
		r.Properties = jsonProperties(texts{"category": a.Category, "name": a.Name}, texts{"value": a.Value})
	case "search":
		r.Kind, r.Name = store.Custom, "search"
		r.Properties = jsonProperties(texts{"keyword": cmp.Or(a.Keyword, a.Title), "category": a.SearchedIn},
			texts{"results": a.Results})
	case "goal":
		r.Kind, r.Name = store.Custom, string(cmp.Or(a.Goal, "goal "+a.GoalID))
		r.ID = string(v.ID + "/goal " + a.GoalID + " at " + a.Time)
		r.Properties = jsonProperties(nil, texts{"revenue": a.Revenue})
	case "ecommerceOrder", "ecommerceAbandonedCart":
		r.Kind, r.Name, r.ID = store.Custom, "order", string(v.ID+"/order "+a.Order)
		if a.Type == "ecommerceAbandonedCart" {
			r.Name, r.ID = "abandoned_cart", string(v.ID+"/cart at "+a.Time)
		}
		r.Properties = jsonProperties(texts{"order_id": a.Order}, texts{"revenue": a.Revenue, "subtotal": a.Subtotal,
			"tax": a.Tax, "shipping": a.Shipping, "discount": a.Discount, "items": a.Items})
	case "outlink", "download":
		r.Kind, r.Href, r.URL = store.Click, string(a.URL), ""
	default:
		return r, false
	}
	return r, true
}

// origin sets where the visit came from.
func (v *matomoVisit) origin(r *Record) {
	r.UTMSource, r.UTMMedium, r.UTMCampaign = string(v.CampaignSource), string(v.CampaignMedium), string(v.CampaignName)
	switch v.ReferrerType {
	case "campaign":
		r.UTMSource, r.UTMCampaign = cmp.Or(r.UTMSource, string(v.ReferrerName)),
			cmp.Or(r.UTMCampaign, string(v.ReferrerName))
	case "direct":
	default: // without an address that is a URL, such as that of an app, Matomo still knows the source
		r.Referrer = string(cmp.Or(v.ReferrerURL, v.SearchEngine, v.SocialNetwork))
	}
}

func (v *matomoVisit) agent() store.Agent {
	return store.Agent{
		BrowserName: string(v.Browser), BrowserVersion: string(v.BrowserVersion), DeviceType: string(v.Device),
		OSName: string(v.System), OSVersion: string(v.SystemVersion),
		Country: string(v.Country), Region: string(v.Region), City: string(v.City),
	}
}
