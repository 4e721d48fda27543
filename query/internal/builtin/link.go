package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func linkTypes() []catalog.Type {
	top := func(name, title, about string, by []string, columns ...string) catalog.Type {
		return catalog.Type{Name: name, Title: title, Description: about, Category: "Links", Visualization: "table",
			Tags:    []string{"links"},
			Subject: store.KindLink, Source: "visits", Shape: catalog.Breakdown, Dimensions: by,
			Columns: append(columns, "clicks", "percentage"), Order: []string{"-clicks"}}
	}
	referrers := top("link_top_referrers", "Referrers of the link", "Where clicks come from", []string{"referrer"},
		"name=referrer_name", "referrer=referrer_url", "source=referrer_source", "domain=referrer_domain",
		"referrer_type")
	referrers.TieBreak = []string{"name"}
	referrers.AlsoCalled = []string{"referer", "referers", "referral", "referrals", "referrer", "referrers", "sources"}
	devices := top("link_top_devices", "Devices of the link", "Clicks by kind of device", []string{"device_type"},
		"name=known_device")
	devices.TieBreak = []string{"name"}
	devices.AlsoCalled = []string{"device", "devices", "mobile"}
	browsers := top("link_top_browsers", "Browsers of the link", "Clicks by browser", []string{"browser_name"},
		"name=known_browser")
	browsers.TieBreak = []string{"name"}
	browsers.AlsoCalled = []string{"browsers"}
	return []catalog.Type{
		{Name: "link_total_clicks", Title: "Clicks", Category: "Links", Visualization: "metric",
			AlsoCalled:  []string{"clicks", "metrics", "overview", "stats", "total", "totals"},
			Tags:        []string{"links", "totals"},
			Description: "Clicks on the link, bots left out",
			Subject:     store.KindLink, Source: "visits", Shape: catalog.Totals, Columns: []string{"total=clicks"}},
		{Name: "link_clicks_by_day", Title: "Clicks over time", Category: "Links", Visualization: "timeseries",
			AlsoCalled:  []string{"daily", "timeseries"},
			Tags:        []string{"links", "series"},
			Description: "Clicks on the link by day or hour",
			Subject:     store.KindLink, Source: "visits", Shape: catalog.Series, Columns: []string{"date", "clicks"},
			Order: []string{"date"}},
		referrers,
		called(top("link_top_countries", "Countries of the link", "Clicks by country", []string{"country"},
			"name=known_country", "country=country_name", "country_code", "country_name"), "geo", "locations"),
		called(top("link_top_regions", "Regions of the link", "Clicks by region", []string{"region_country", "region"},
			"name=known_region", "country=region_country_name", "country_code=region_country",
			"country_name=region_country_name", "region"), "regions"),
		top("link_top_cities", "Cities of the link", "Clicks by city", []string{"city_country", "city_region", "city"},
			"name=known_city", "country=city_country_name", "country_code=city_country",
			"country_name=city_country_name", "region=city_region", "city"),
		devices, browsers,
	}
}
