package catalog

import (
	"slices"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// labelMetrics are dimensions as they are, and by the names that people know.
func labelMetrics() []BoundMetric {
	var metrics []BoundMetric
	for _, f := range slices.Concat(fields, typeFields) {
		shown := textColumn(f.Name, words(f.Name), f.About)
		if f.Number {
			shown.Format = Integer
		}
		metrics = append(metrics, BoundMetric{Output: shown, Expr: expr.Ref(expr.Ident(f.Name))})
	}
	// Some names belong to one type, and are labelled as that type shows them.
	for _, code := range []expr.Ident{"region_country", "city_country"} {
		metrics = append(metrics,
			BoundMetric{Output: textColumn(string(code), "Country code", "ISO 3166-1 alpha-2"), Expr: expr.Ref(code)})
	}
	metrics = append(metrics,
		BoundMetric{Output: textColumn("city_region", "Region", "Name of the region; of no place empty"),
			Expr: expr.Ref("city_region")})
	return append(metrics,
		BoundMetric{Output: textColumn("country_code", "Country code", "ISO 3166-1 alpha-2"),
			Expr: expr.Ref("country")},
		BoundMetric{Output: textColumn("country_name", "Country name", "English name"),
			Expr: countryName(expr.Ref("country"))},
		BoundMetric{Output: textColumn("region_country_name", "Country", "English name"),
			Expr: countryName(expr.Ref("region_country"))},
		BoundMetric{Output: textColumn("city_country_name", "Country", "English name"),
			Expr: countryName(expr.Ref("city_country"))},
		BoundMetric{Output: textColumn("last_country_name", "Country", "English name"),
			Expr: countryName(expr.Ref("last_country"))},
		BoundMetric{Output: textColumn("device_name", "Device", "Kind of device as shown"), Expr: deviceName()},
		BoundMetric{Output: textColumn("known_country", "Name", "English name of the country, or Unknown"),
			Expr: orUnknown("country", countryName(expr.Ref("country")))},
		BoundMetric{Output: textColumn("known_region", "Name", "Name of the region, or Unknown"),
			Expr: orUnknown("region", expr.Ref("region"))},
		BoundMetric{Output: textColumn("known_city", "Name", "Name of the city, or Unknown"),
			Expr: orUnknown("city", expr.Ref("city"))},
		BoundMetric{Output: textColumn("known_device", "Device", "Kind of device as shown, or Unknown"),
			Expr: orUnknown("device_type", deviceName())},
		BoundMetric{Output: textColumn("known_browser", "Browser", "Browser family, or Unknown"),
			Expr: orUnknown("browser_name", expr.Ref("browser_name"))},
	)
}

func orUnknown(dimension expr.Ident, shown expr.Expr) expr.Expr {
	return IfElse(expr.Eq(expr.Ref(dimension), expr.Lit("")), expr.Lit("Unknown"), shown)
}

func countryName(code expr.Expr) expr.Expr {
	codes, names := []string{}, []string{}
	for _, c := range country.All() {
		codes, names = append(codes, c.Code), append(names, c.Name)
	}
	return Lookup(code, codes, names, code)
}

func deviceName() expr.Expr {
	ids := []string{"mobile", "tablet", "desktop", "smarttv", "console", "wearable", "embedded", "xr"}
	shown := []string{"Mobile", "Tablet", "Desktop", "Smart TV", "Console", "Wearable", "Embedded", "XR"}
	return Lookup(expr.Ref("device_type"), ids, shown, expr.Ref("device_type"))
}

// Lookup returns the text of to at the place of e in from, or otherwise.
func Lookup(e expr.Expr, from, to []string, otherwise expr.Expr) expr.Expr {
	return expr.Call(dialect.Lookup, e, expr.Arg(dialect.Texts, from), expr.Arg(dialect.Texts, to), otherwise)
}

// referrerURL is the address of a referrer in letters.
func referrerURL(shown expr.Expr) expr.Expr {
	return IfElse(expr.Eq(shown, expr.Lit("")), expr.Lit("direct"),
		expr.Call(dialect.Concat, expr.Lit("https://"), shown))
}

// shownReferrer is the source as people read it.
func shownReferrer() expr.Expr {
	letters := expr.Ref(expr.Ident(referrerLetters.Name))
	return IfElse(expr.Eq(letters, expr.Lit("")), expr.Ref("referrer"), letters)
}

// A sourceList holds the known sources, by column.
type sourceList struct{ domains, names, kinds, urls []string }

// sourceMetrics show where visitors come from. All of them use the same lists, so that a statement binds each once.
func sourceMetrics() []BoundMetric {
	var known sourceList
	for _, src := range referrer.Sources() {
		known.domains, known.names = append(known.domains, src.Domain), append(known.names, src.Name)
		known.kinds, known.urls = append(known.kinds, string(src.Kind)), append(known.urls, "https://"+src.Domain)
	}
	return slices.Concat(known.referrerMetrics(), known.trafficMetrics())
}

// trafficMetrics show the source of a session: its referrer or, where it has none, its campaign source.
func (known *sourceList) trafficMetrics() []BoundMetric {
	source, shown, kind := expr.Ref("referrer"), shownReferrer(), expr.Ref("campaign_kind")
	url := func(source, other expr.Expr) expr.Expr { return Lookup(source, known.domains, known.urls, other) }
	last := expr.Ref("last_referrer")
	ofCampaign := func(yes, no expr.Expr) expr.Expr { return IfElse(expr.Ne(kind, expr.Lit("")), yes, no) }
	isDirect := expr.Eq(source, expr.Lit(""))
	return []BoundMetric{
		{Output: textColumn("traffic_url", "Source address",
			"Address of the source, the text of a campaign, or direct"),
			Expr: ofCampaign(url(source, shown), referrerURL(shown))},
		{Output: textColumn("last_referrer_url", "Source address",
			"Of the session of the latest event: address of the source, the text of a campaign, or direct"),
			Expr: url(last, last)},
		{Output: textColumn("traffic_source", "Source id",
			"Domain of a referrer, name or text of a campaign source, or direct"),
			Expr: ofCampaign(Lookup(source, known.domains, known.names, shown),
				IfElse(isDirect, expr.Lit("direct"), shown))},
		{Output: textColumn("traffic_domain", "Source domain",
			"Main domain of a known source, else the host of a referrer; empty for all others"),
			Expr: ofCampaign(Lookup(source, known.domains, known.domains, expr.Lit("")), source)},
		{Output: textColumn("traffic_type", "Kind of source", "direct, search, social, email, paid, ai or other"),
			Expr: ofCampaign(kind, IfElse(isDirect, expr.Lit("direct"),
				Lookup(source, known.domains, known.kinds, expr.Lit("other"))))},
	}
}

// referrerMetrics show a referrer.
func (known *sourceList) referrerMetrics() []BoundMetric {
	domain, shown := expr.Ref("referrer"), shownReferrer()
	orDirect := func(direct, e expr.Expr) expr.Expr { return IfElse(expr.Eq(domain, expr.Lit("")), direct, e) }
	return []BoundMetric{
		{Output: textColumn("referrer_name", "Source", "Name of the source"),
			Expr: orDirect(expr.Lit("Direct"), Lookup(domain, known.domains, known.names, shown))},
		{Output: textColumn("referrer_url", "Referrer address", "Address of the source, or direct"),
			Expr: referrerURL(shown)},
		{Output: textColumn("referrer_domain", "Referrer domain",
			"Main domain of the source, else its host; empty for direct traffic"), Expr: domain},
		{Output: textColumn("referrer_source", "Source domain", "Main domain of the source, or direct"),
			Expr: orDirect(expr.Lit("direct"), shown)},
		{Output: textColumn("referrer_type", "Kind of source", "direct, search, social, email, paid, ai or other"),
			Expr: orDirect(expr.Lit("direct"), Lookup(domain, known.domains, known.kinds, expr.Lit("other")))},
	}
}
