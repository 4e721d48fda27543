package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// labelMetrics are dimensions as they are, and by the names that people know.
func labelMetrics() []metric {
	var metrics []metric
	for _, f := range slices.Concat(fields, typeFields) {
		shown := textColumn(f.Name, words(f.Name), f.About)
		if f.number {
			shown.Format = Integer
		}
		metrics = append(metrics, metric{column: shown, expr: expr.Ref(expr.Ident(f.Name))})
	}
	// Those that only one type has go by what they are there.
	for _, code := range []expr.Ident{"region_country", "city_country"} {
		metrics = append(metrics, metric{column: textColumn(string(code), "Country code", "ISO 3166-1 alpha-2"), expr: expr.Ref(code)})
	}
	metrics = append(metrics, metric{column: textColumn("city_region", "Region", "Name of the region; of no place empty"), expr: expr.Ref("city_region")})
	return append(metrics,
		metric{column: textColumn("country_code", "Country code", "ISO 3166-1 alpha-2"), expr: expr.Ref("country")},
		metric{column: textColumn("country_name", "Country name", "English name"), expr: countryName(expr.Ref("country"))},
		metric{column: textColumn("region_country_name", "Country", "English name"), expr: countryName(expr.Ref("region_country"))},
		metric{column: textColumn("city_country_name", "Country", "English name"), expr: countryName(expr.Ref("city_country"))},
		metric{column: textColumn("last_country_name", "Country", "English name"), expr: countryName(expr.Ref("last_country"))},
		metric{column: textColumn("device_name", "Device", "Kind of device as shown"), expr: deviceName()},
		metric{column: textColumn("known_country", "Name", "English name of the country, or Unknown"), expr: orUnknown("country", countryName(expr.Ref("country")))},
		metric{column: textColumn("known_region", "Name", "Name of the region, or Unknown"), expr: orUnknown("region", expr.Ref("region"))},
		metric{column: textColumn("known_city", "Name", "Name of the city, or Unknown"), expr: orUnknown("city", expr.Ref("city"))},
		metric{column: textColumn("known_device", "Device", "Kind of device as shown, or Unknown"), expr: orUnknown("device_type", deviceName())},
		metric{column: textColumn("known_browser", "Browser", "Browser family, or Unknown"), expr: orUnknown("browser_name", expr.Ref("browser_name"))},
	)
}

func orUnknown(dimension expr.Ident, shown expr.Expr) expr.Expr {
	return ifElse(expr.Eq(expr.Ref(dimension), expr.Lit("")), expr.Lit("Unknown"), shown)
}

func countryName(code expr.Expr) expr.Expr {
	codes, names := []string{}, []string{}
	for _, c := range country.All() {
		codes, names = append(codes, c.Code), append(names, c.Name)
	}
	return lookup(code, codes, names, code)
}

func deviceName() expr.Expr {
	ids := []string{"mobile", "tablet", "desktop", "smarttv", "console", "wearable", "embedded", "xr"}
	shown := []string{"Mobile", "Tablet", "Desktop", "Smart TV", "Console", "Wearable", "Embedded", "XR"}
	return lookup(expr.Ref("device_type"), ids, shown, expr.Ref("device_type"))
}

func lookup(e expr.Expr, from, to []string, otherwise expr.Expr) expr.Expr {
	return expr.Call(dialect.Lookup, e, expr.Arg(dialect.Texts, from), expr.Arg(dialect.Texts, to), otherwise)
}

func referrerURL(domain expr.Expr) expr.Expr {
	return ifElse(expr.Eq(domain, expr.Lit("")), expr.Lit("direct"), expr.Call(dialect.Concat, expr.Lit("https://"), domain))
}

// hostColumn returns a column of texts that may be hosts, or addresses of hosts.
func hostColumn(name, label, description string) column {
	c := textColumn(name, label, description)
	c.Hosts = true
	return c
}

// A sourceList holds the known sources, by column.
type sourceList struct{ domains, names, kinds, urls []string }

// sourceMetrics show where visitors come from. All of them use the same lists, so that a statement binds each once.
func sourceMetrics() []metric {
	var known sourceList
	for _, src := range referrer.Sources() {
		known.domains, known.names = append(known.domains, src.Domain), append(known.names, src.Name)
		known.kinds, known.urls = append(known.kinds, string(src.Kind)), append(known.urls, "https://"+src.Domain)
	}
	return slices.Concat(known.referrerMetrics(), known.trafficMetrics())
}

// trafficMetrics show the source of a session: its referrer or, where it has none, its campaign source.
func (known *sourceList) trafficMetrics() []metric {
	source, kind := expr.Ref("referrer"), expr.Ref("campaign_kind")
	url := func(source expr.Expr) expr.Expr { return lookup(source, known.domains, known.urls, source) }
	ofCampaign := func(yes, no expr.Expr) expr.Expr { return ifElse(expr.Ne(kind, expr.Lit("")), yes, no) }
	isDirect := expr.Eq(source, expr.Lit(""))
	return []metric{
		{column: hostColumn("traffic_url", "Source address", "Address of the source, the text of a campaign, or direct"),
			expr: ofCampaign(url(source), referrerURL(source))},
		{column: hostColumn("last_referrer_url", "Source address", "Of the session of the latest event: address of the source, the text of a campaign, or direct"),
			expr: url(expr.Ref("last_referrer"))},
		{column: hostColumn("traffic_source", "Source id", "Domain of a referrer, name or text of a campaign source, or direct"),
			expr: ofCampaign(lookup(source, known.domains, known.names, source), ifElse(isDirect, expr.Lit("direct"), source))},
		{column: textColumn("traffic_domain", "Source domain", "Main domain of a known source, else the host of a referrer; empty for all others"),
			expr: ofCampaign(lookup(source, known.domains, known.domains, expr.Lit("")), source)},
		{column: textColumn("traffic_type", "Kind of source", "direct, search, social, email, paid, ai or other"),
			expr: ofCampaign(kind, ifElse(isDirect, expr.Lit("direct"), lookup(source, known.domains, known.kinds, expr.Lit("other"))))},
	}
}

// referrerMetrics show a referrer.
func (known *sourceList) referrerMetrics() []metric {
	domain := expr.Ref("referrer")
	orDirect := func(shown, e expr.Expr) expr.Expr { return ifElse(expr.Eq(domain, expr.Lit("")), shown, e) }
	return []metric{
		{column: hostColumn("referrer_name", "Source", "Name of the source"),
			expr: orDirect(expr.Lit("Direct"), lookup(domain, known.domains, known.names, domain))},
		{column: hostColumn("referrer_url", "Referrer address", "Address of the source, or direct"),
			expr: referrerURL(domain)},
		{column: textColumn("referrer_domain", "Referrer domain", "Main domain of the source, else its host; empty for direct traffic"), expr: domain},
		{column: hostColumn("referrer_source", "Source domain", "Main domain of the source, or direct"),
			expr: orDirect(expr.Lit("direct"), domain)},
		{column: textColumn("referrer_type", "Kind of source", "direct, search, social, email, paid, ai or other"),
			expr: orDirect(expr.Lit("direct"), lookup(domain, known.domains, known.kinds, expr.Lit("other")))},
	}
}
