package query

func sourceTypes() []Type {
	traffic := breakdown(Type{Name: "traffic", Title: "Traffic sources", Category: "Acquisition", Chart: "table", Tags: []string{"referrers", "sources"},
		About: "Where visitors come from, direct traffic included", By: []string{"referrer"}, Key: []string{"name"}},
		"name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=referrer_url", "source=referrer_source", "domain=referrer", "referrer_type")
	referrers := again(traffic, "top_referrers", "Referrers", "Other sites that visitors come from")
	referrers.Named = "referrer"
	types := []Type{traffic, again(traffic, "traffic_sources", "Traffic sources", "Where visitors come from, under its older name"), referrers}
	for _, utm := range []struct{ name, title, field string }{
		{"utm_sources", "UTM sources", "utm_source"}, {"utm_mediums", "UTM mediums", "utm_medium"}, {"utm_campaigns", "UTM campaigns", "utm_campaign"},
		{"utm_terms", "UTM terms", "utm_term"}, {"utm_content", "UTM content", "utm_content"},
	} {
		types = append(types, byField(utm.name, utm.title, "Visitors by "+utm.field+" of the address they came by", "Acquisition", "table", utm.field))
	}
	return types
}

func technologyTypes() []Type {
	versions := func(name, title, about, family, version string) Type {
		ty := breakdown(Type{Name: name, Title: title, About: about, Category: "Technology", Chart: "table", Tags: []string{"audience", "versions"},
			By: []string{family, version}, Named: family},
			"name="+family, "version="+version, "pageviews", "visitors", "sessions", "percentage")
		ty.With = []string{"sessions"}
		return ty
	}
	grouped := breakdown(Type{Name: "browsers_grouped", Title: "Browsers and sessions", Category: "Technology", Chart: "table", Tags: []string{"browser", "audience"},
		About: "Visitors and sessions by browser family, with the number of versions", By: []string{"browser_name"}, Named: "browser_name", With: []string{"sessions"}},
		"name=browser_name", "pageviews", "visitors", "percentage", "sessions", "versions=browser_versions")
	return []Type{
		byField("browser_name", "Browsers", "Visitors by browser family", "Technology", "pie", "browser_name"),
		byField("os_name", "Operating systems", "Visitors by operating system", "Technology", "pie", "os_name"),
		breakdown(Type{Name: "device_types", Title: "Devices", Category: "Technology", Chart: "pie", Tags: []string{"device", "audience"},
			About: "Visitors by kind of device", By: []string{"device_type"}, Named: "device_type"},
			"name=device_name", "pageviews", "visitors", "percentage", "device_type"),
		grouped,
		versions("browser_versions", "Browser versions", "Visitors and sessions by browser and version", "browser_name", "browser_version"),
		versions("os_versions", "System versions", "Visitors and sessions by operating system and version", "os_name", "os_version"),
		byField("screen_resolutions", "Screens", "Visitors by screen resolution", "Technology", "table", "screen_resolution"),
		byField("language", "Languages", "Visitors by language", "Audience", "table", "language"),
	}
}

func placeTypes() []Type {
	countries := breakdown(Type{Name: "countries", Title: "Countries", Category: "Geography", Chart: "table", Tags: []string{"geo", "audience"},
		About: "Visitors by country", By: []string{"country"}, Named: "country"},
		"name=country_name", "pageviews", "visitors", "percentage", "country_code", "country_name")
	cities := breakdown(Type{Name: "cities", Title: "Cities", Category: "Geography", Chart: "table", Tags: []string{"geo", "audience"},
		About: "Visitors by city", By: []string{"country", "region", "city"}, Named: "city"},
		"name=city", "pageviews", "visitors", "percentage", "city", "region", "country=country_name", "country_code", "country_name")
	return []Type{
		countries,
		again(countries, "country", "Countries", "Visitors by country, under its older name"),
		breakdown(Type{Name: "region", Title: "Regions", Category: "Geography", Chart: "table", Tags: []string{"geo", "audience"},
			About: "Visitors by region", By: []string{"country", "region"}, Named: "region"},
			"name=region", "pageviews", "visitors", "percentage", "region", "country=country_name", "country_code", "country_name"),
		cities,
		again(cities, "city", "Cities", "Visitors by city, under its older name"),
		byField("timezone", "Time zones", "Visitors by their time zone", "Geography", "table", "timezone"),
	}
}
