package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
)

func sourceTypes() []catalog.Type {
	traffic := breakdown(catalog.Type{Name: "traffic", Title: "Traffic sources", Category: "Acquisition",
		AlsoCalled: []string{"acquisition", "referer", "referers", "referral", "referrals", "referrer",
			"referrers", "sources"},
		Visualization: "table", Tags: []string{"referrers", "sources"},
		Description: "Where visitors come from, campaigns and direct traffic included",
		Dimensions:  []string{"referrer", "campaign_kind"},
		TieBreak:    []string{"name", "source", "referrer_type", "domain"}},
		"name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=traffic_url", "source=traffic_source", "domain=traffic_domain", "referrer_type=traffic_type")
	referrers := breakdown(catalog.Type{Name: "top_referrers", Title: "Referrers", Category: traffic.Category,
		Visualization: traffic.Visualization, Tags: traffic.Tags,
		Description: "Other sites that visitors come from", Dimensions: []string{"referrer"},
		TieBreak: []string{"name"}, SkipEmpty: "referrer", OnlyEmpty: "campaign_kind"},
		"name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=referrer_url", "source=referrer_source", "domain=referrer_domain", "referrer_type")
	types := []catalog.Type{traffic,
		called(renamed(traffic, "traffic_sources", "Traffic sources",
			"Where visitors come from, under its older name"), "channels"),
		referrers}
	for _, utm := range []struct {
		name, title, field string
		also               []string
	}{
		{"utm_sources", "UTM sources", "utm_source", nil}, {"utm_mediums", "UTM mediums", "utm_medium", nil},
		{"utm_campaigns", "UTM campaigns", "utm_campaign", []string{"campaigns"}},
		{"utm_terms", "UTM terms", "utm_term", nil}, {"utm_content", "UTM content", "utm_content", nil},
	} {
		types = append(types, called(byField(utm.name, utm.title,
			"Visitors by "+utm.field+" of the address they came by", "Acquisition", "table", utm.field), utm.also...))
	}
	return types
}

func technologyTypes() []catalog.Type {
	versions := func(name, title, about, family, version string) catalog.Type {
		ty := breakdown(catalog.Type{Name: name, Title: title, Description: about, Category: "Technology",
			Visualization: "table", Tags: []string{"audience", "versions"},
			Dimensions: []string{family, version}, SkipEmpty: family},
			"name="+family, "version="+version, "pageviews", "visitors", "sessions", "percentage")
		ty.Joins = []string{"sessions"}
		return ty
	}
	grouped := breakdown(catalog.Type{Name: "browsers_grouped", Title: "Browsers and sessions", Category: "Technology",
		Visualization: "table", Tags: []string{"browser", "audience"},
		Description: "Visitors and sessions by browser family, with the number of versions",
		Dimensions:  []string{"browser_name"}, SkipEmpty: "browser_name", Joins: []string{"sessions"}},
		"name=browser_name", "pageviews", "visitors", "percentage", "sessions", "versions=browser_versions")
	return []catalog.Type{
		called(byField("browser_name", "Browsers", "Visitors by browser family", "Technology", "pie", "browser_name"),
			"browsers"),
		called(byField("os_name", "Operating systems", "Visitors by operating system", "Technology", "pie", "os_name"),
			"operatingsystem", "operatingsystems", "platforms"),
		breakdown(catalog.Type{Name: "device_types", Title: "Devices", Category: "Technology", Visualization: "pie",
			AlsoCalled:  []string{"device", "devices", "mobile"},
			Tags:        []string{"device", "audience"},
			Description: "Visitors by kind of device", Dimensions: []string{"device_type"}, SkipEmpty: "device_type"},
			"name=device_name", "pageviews", "visitors", "percentage", "device_type"),
		grouped,
		versions("browser_versions", "Browser versions", "Visitors and sessions by browser and version", "browser_name",
			"browser_version"),
		versions("os_versions", "System versions", "Visitors and sessions by operating system and version", "os_name",
			"os_version"),
		called(byField("screen_resolutions", "Screens", "Visitors by screen resolution", "Technology", "table",
			"screen_resolution"), "resolutions", "screens"),
		called(byField("language", "Languages", "Visitors by language", "Audience", "table", "language"), "languages"),
	}
}

func placeTypes() []catalog.Type {
	countries := breakdown(catalog.Type{Name: "countries", Title: "Countries", Category: "Geography",
		AlsoCalled:    []string{"geo", "locations"},
		Visualization: "table", Tags: []string{"geo", "audience"},
		Description: "Visitors by country", Dimensions: []string{"country"}, SkipEmpty: "country"},
		"name=country_name", "pageviews", "visitors", "percentage", "country_code", "country_name")
	cities := breakdown(catalog.Type{Name: "cities", Title: "Cities", Category: "Geography", Visualization: "table",
		Tags:        []string{"geo", "audience"},
		Description: "Visitors by city", Dimensions: []string{"country", "region", "city"}, SkipEmpty: "city"},
		"name=city", "pageviews", "visitors", "percentage", "city", "region", "country=country_name", "country_code",
		"country_name")
	return []catalog.Type{
		countries,
		renamed(countries, "country", "Countries", "Visitors by country, under its older name"),
		breakdown(catalog.Type{Name: "region", Title: "Regions", Category: "Geography", Visualization: "table",
			AlsoCalled:  []string{"regions"},
			Tags:        []string{"geo", "audience"},
			Description: "Visitors by region", Dimensions: []string{"country", "region"}, SkipEmpty: "region"},
			"name=region", "pageviews", "visitors", "percentage", "region", "country=country_name", "country_code",
			"country_name"),
		cities,
		renamed(cities, "city", "Cities", "Visitors by city, under its older name"),
		called(byField("timezone", "Time zones", "Visitors by their time zone", "Geography", "table", "timezone"),
			"timezones"),
	}
}
