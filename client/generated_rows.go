// Code generated from the OpenAPI document by go test ./internal/docgen -run GoldenClient -update. DO NOT EDIT.

package client

import (
	"encoding/json"
	"time"
)

// SummaryRow is a row of [TypeSummary]. Summary. Pageviews, visitors, sessions and their quality by day or hour.
type SummaryRow struct {
	Date                  string   `json:"date"`                    // Local day or hour
	Pageviews             int64    `json:"pageviews"`               // Pages seen
	Visitors              int64    `json:"visitors"`                // Distinct visitors with a pageview
	Sessions              int64    `json:"sessions"`                // Sessions that began here and have a pageview
	BounceRate            *float64 `json:"bounce_rate"`             // Share of sessions of one pageview, under 10 s, without custom event or click (%)
	MedianSessionDuration *float64 `json:"median_session_duration"` // Median over all sessions (s)
	PagesPerSession       *float64 `json:"pages_per_session"`       // Pageviews of the row per session started in it
	TotalEvents           int64    `json:"total_events"`            // Page events, custom events and clicks
}

// QueryType implements [Row].
func (SummaryRow) QueryType() Type { return TypeSummary }

// EventsByDateRow is a row of [TypeEventsByDate]. Events by date. The summary by day or hour, under its older name.
type EventsByDateRow struct {
	Date                  string   `json:"date"`                    // Local day or hour
	Pageviews             int64    `json:"pageviews"`               // Pages seen
	Visitors              int64    `json:"visitors"`                // Distinct visitors with a pageview
	Sessions              int64    `json:"sessions"`                // Sessions that began here and have a pageview
	BounceRate            *float64 `json:"bounce_rate"`             // Share of sessions of one pageview, under 10 s, without custom event or click (%)
	MedianSessionDuration *float64 `json:"median_session_duration"` // Median over all sessions (s)
	PagesPerSession       *float64 `json:"pages_per_session"`       // Pageviews of the row per session started in it
	TotalEvents           int64    `json:"total_events"`            // Page events, custom events and clicks
}

// QueryType implements [Row].
func (EventsByDateRow) QueryType() Type { return TypeEventsByDate }

// SummaryMetricsRow is a row of [TypeSummaryMetrics]. Summary metrics. Pageviews, visitors, sessions and their quality over the whole range.
type SummaryMetricsRow struct {
	Pageviews             int64    `json:"pageviews"`               // Pages seen
	Visitors              int64    `json:"visitors"`                // Distinct visitors with a pageview
	UniqueVisitors        int64    `json:"unique_visitors"`         // Distinct visitors with a pageview
	Sessions              int64    `json:"sessions"`                // Sessions that began here and have a pageview
	BounceRate            *float64 `json:"bounce_rate"`             // Share of sessions of one pageview, under 10 s, without custom event or click (%)
	MedianSessionDuration *float64 `json:"median_session_duration"` // Median over all sessions (s)
	PagesPerSession       *float64 `json:"pages_per_session"`       // Pageviews of the row per session started in it
	TotalEvents           int64    `json:"total_events"`            // Page events, custom events and clicks
}

// QueryType implements [Row].
func (SummaryMetricsRow) QueryType() Type { return TypeSummaryMetrics }

// TodayMetricsRow is a row of [TypeTodayMetrics]. Today. Pageviews, visitors and sessions since local midnight, whatever the range.
type TodayMetricsRow struct {
	Pageviews int64 `json:"pageviews"` // Pages seen
	Visitors  int64 `json:"visitors"`  // Distinct visitors with a pageview
	Sessions  int64 `json:"sessions"`  // Sessions that began here and have a pageview
}

// QueryType implements [Row].
func (TodayMetricsRow) QueryType() Type { return TypeTodayMetrics }

// ActiveStatsRow is a row of [TypeActiveStats]. Active now. Visitors and sessions with a pageview in the last five minutes, whatever the range.
type ActiveStatsRow struct {
	ActiveUsers    int64 `json:"active_users"`    // Distinct visitors with a pageview
	ActiveSessions int64 `json:"active_sessions"` // Distinct session ids with a pageview
}

// QueryType implements [Row].
func (ActiveStatsRow) QueryType() Type { return TypeActiveStats }

// PagesRow is a row of [TypePages]. Pages. Pages by visitors, with time on page and load time.
type PagesRow struct {
	Path             string   `json:"path"`                // Path of the page, without query and trailing slash
	Name             string   `json:"name"`                // Path of the page, without query and trailing slash
	Pageviews        int64    `json:"pageviews"`           // Pages seen
	Visitors         int64    `json:"visitors"`            // Distinct visitors with a pageview
	Percentage       *float64 `json:"percentage"`          // Share of the ordering metric over all rows (%)
	MedianTimeOnPage *float64 `json:"median_time_on_page"` // Median of the exits of more than 1 s and less than 1 h (s)
	AvgLoadTime      *float64 `json:"avg_load_time"`       // Mean over the pageviews that carry it (ms)
}

// QueryType implements [Row].
func (PagesRow) QueryType() Type { return TypePages }

// TopPagesRow is a row of [TypeTopPages]. Top pages. Pages by visitors.
type TopPagesRow struct {
	Path       string   `json:"path"`       // Path of the page, without query and trailing slash
	Name       string   `json:"name"`       // Path of the page, without query and trailing slash
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (TopPagesRow) QueryType() Type { return TypeTopPages }

// RealtimePagesRow is a row of [TypeRealtimePages]. Pages now. Pages seen in the last two minutes, whatever the range.
type RealtimePagesRow struct {
	Path       string   `json:"path"`       // Path of the page, without query and trailing slash
	Name       string   `json:"name"`       // Path of the page, without query and trailing slash
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (RealtimePagesRow) QueryType() Type { return TypeRealtimePages }

// EntryPagesRow is a row of [TypeEntryPages]. Entry pages. Pages that sessions begin on.
type EntryPagesRow struct {
	Path       string   `json:"path"`       // Path of the first pageview of the session; empty without one
	Name       string   `json:"name"`       // Path of the first pageview of the session; empty without one
	Sessions   int64    `json:"sessions"`   // Sessions that began here and have a pageview
	Pageviews  int64    `json:"pageviews"`  // Sessions that began here and have a pageview
	Visitors   int64    `json:"visitors"`   // Distinct visitors of the sessions
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (EntryPagesRow) QueryType() Type { return TypeEntryPages }

// ExitPagesRow is a row of [TypeExitPages]. Exit pages. Pages that sessions end on.
type ExitPagesRow struct {
	Path       string   `json:"path"`       // Path of the last pageview of the session; empty without one
	Name       string   `json:"name"`       // Path of the last pageview of the session; empty without one
	Sessions   int64    `json:"sessions"`   // Sessions that began here and have a pageview
	Pageviews  int64    `json:"pageviews"`  // Sessions that began here and have a pageview
	Visitors   int64    `json:"visitors"`   // Distinct visitors of the sessions
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ExitPagesRow) QueryType() Type { return TypeExitPages }

// PageTimeAnalysisRow is a row of [TypePageTimeAnalysis]. Time on pages. How long people stay on pages: exits after more than one second and less than an hour.
type PageTimeAnalysisRow struct {
	Path             string   `json:"path"`                // Path of the page, without query and trailing slash
	Name             string   `json:"name"`                // Path of the page, without query and trailing slash
	SessionsWithTime int64    `json:"sessions_with_time"`  // Distinct session ids with a time on the page
	Visitors         int64    `json:"visitors"`            // Distinct visitors with a time on the page
	MedianTimeOnPage *float64 `json:"median_time_on_page"` // Median of the exits of more than 1 s and less than 1 h (s)
	Percentage       *float64 `json:"percentage"`          // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (PageTimeAnalysisRow) QueryType() Type { return TypePageTimeAnalysis }

// EngagementRow is a row of [TypeEngagement]. Engagement. Scrolling, time and interactions by page, from departures.
type EngagementRow struct {
	Path             string   `json:"path"`                // Path of the page, without query and trailing slash
	Name             string   `json:"name"`                // Path of the page, without query and trailing slash
	Pageviews        int64    `json:"pageviews"`           // Pages seen
	Visitors         int64    `json:"visitors"`            // Distinct visitors who left the page
	Sessions         int64    `json:"sessions"`            // Distinct session ids that left the page
	AvgScrollDepth   *float64 `json:"avg_scroll_depth"`    // Mean over the exits that scrolled (%)
	AvgTimeOnPage    *float64 `json:"avg_time_on_page"`    // Mean of the exits of more than 1 s and less than 1 h (s)
	MedianTimeOnPage *float64 `json:"median_time_on_page"` // Median of the exits of more than 1 s and less than 1 h (s)
	AvgInteractions  *float64 `json:"avg_interactions"`    // Mean over the exits that carry it
	InteractionRate  *float64 `json:"interaction_rate"`    // Exits with an interaction (%)
}

// QueryType implements [Row].
func (EngagementRow) QueryType() Type { return TypeEngagement }

// ScrollDepthDistributionRow is a row of [TypeScrollDepthDistribution]. Scroll depth. How far down people scroll, in five ranges.
type ScrollDepthDistributionRow struct {
	DepthRange string   `json:"depth_range"` // Percent of the page that was seen, the lower bound included
	Visitors   int64    `json:"visitors"`    // Distinct visitors who left the page
	Sessions   int64    `json:"sessions"`    // Distinct session ids that left the page
	Percentage *float64 `json:"percentage"`  // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ScrollDepthDistributionRow) QueryType() Type { return TypeScrollDepthDistribution }

// FrustrationByPageRow is a row of [TypeFrustrationByPage]. Frustration. Rage clicks, dead clicks and errors by page.
type FrustrationByPageRow struct {
	Path       string `json:"path"`        // Path of the page, without query and trailing slash
	Name       string `json:"name"`        // Path of the page, without query and trailing slash
	Sessions   int64  `json:"sessions"`    // Distinct session ids
	Visitors   int64  `json:"visitors"`    // Distinct visitors
	RageClicks int64  `json:"rage_clicks"` // Fast clicks on the same spot
	DeadClicks int64  `json:"dead_clicks"` // Clicks that changed nothing
	Errors     int64  `json:"errors"`      // Errors while the page was open
}

// QueryType implements [Row].
func (FrustrationByPageRow) QueryType() Type { return TypeFrustrationByPage }

// PerformanceRow is a row of [TypePerformance]. Performance. Web vitals and load times by page.
type PerformanceRow struct {
	Path            string   `json:"path"`               // Path of the page, without query and trailing slash
	Name            string   `json:"name"`               // Path of the page, without query and trailing slash
	Pageviews       int64    `json:"pageviews"`          // Pages seen
	Samples         int64    `json:"samples"`            // Measured values
	P75LCP          *float64 `json:"p75_lcp"`            // 75th percentile (ms)
	P75FCP          *float64 `json:"p75_fcp"`            // 75th percentile (ms)
	P75CLS          *float64 `json:"p75_cls"`            // 75th percentile
	P75INP          *float64 `json:"p75_inp"`            // 75th percentile (ms)
	P75TTFB         *float64 `json:"p75_ttfb"`           // 75th percentile (ms)
	AvgLoadTime     *float64 `json:"avg_load_time"`      // Mean over the pageviews that carry it (ms)
	AvgDOMReadyTime *float64 `json:"avg_dom_ready_time"` // Mean over the pageviews that carry it (ms)
	AvgTTFB         *float64 `json:"avg_ttfb"`           // Mean over the pageviews that carry it (ms)
}

// QueryType implements [Row].
func (PerformanceRow) QueryType() Type { return TypePerformance }

// WebVitalsByPageRow is a row of [TypeWebVitalsByPage]. Web vitals by page. Web vitals by page.
type WebVitalsByPageRow struct {
	Path     string   `json:"path"`     // Path of the page, without query and trailing slash
	Name     string   `json:"name"`     // Path of the page, without query and trailing slash
	Samples  int64    `json:"samples"`  // Measured values
	Visitors int64    `json:"visitors"` // Distinct visitors measured
	P75LCP   *float64 `json:"p75_lcp"`  // 75th percentile (ms)
	P75FCP   *float64 `json:"p75_fcp"`  // 75th percentile (ms)
	P75CLS   *float64 `json:"p75_cls"`  // 75th percentile
	P75INP   *float64 `json:"p75_inp"`  // 75th percentile (ms)
	P75TTFB  *float64 `json:"p75_ttfb"` // 75th percentile (ms)
}

// QueryType implements [Row].
func (WebVitalsByPageRow) QueryType() Type { return TypeWebVitalsByPage }

// VitalsOverviewRow is a row of [TypeVitalsOverview]. Web vitals. Percentiles of each web vital over all pages.
type VitalsOverviewRow struct {
	MetricName string   `json:"metric_name"` // The vital: FCP, LCP, CLS, INP, TTFB or FPS
	P50        *float64 `json:"p50"`         // Percentile; CLS has no unit (ms)
	P75        *float64 `json:"p75"`         // Percentile; CLS has no unit (ms)
	P90        *float64 `json:"p90"`         // Percentile; CLS has no unit (ms)
	P95        *float64 `json:"p95"`         // Percentile; CLS has no unit (ms)
	P99        *float64 `json:"p99"`         // Percentile; CLS has no unit (ms)
	AvgValue   *float64 `json:"avg_value"`   // Mean; CLS has no unit (ms)
	Samples    int64    `json:"samples"`     // Measured values
}

// QueryType implements [Row].
func (VitalsOverviewRow) QueryType() Type { return TypeVitalsOverview }

// VitalsTimeSeriesRow is a row of [TypeVitalsTimeSeries]. Web vitals over time. Web vitals by day or hour.
type VitalsTimeSeriesRow struct {
	Date    string   `json:"date"`     // Local day or hour
	Samples int64    `json:"samples"`  // Measured values
	P75LCP  *float64 `json:"p75_lcp"`  // 75th percentile (ms)
	P75FCP  *float64 `json:"p75_fcp"`  // 75th percentile (ms)
	P75CLS  *float64 `json:"p75_cls"`  // 75th percentile
	P75INP  *float64 `json:"p75_inp"`  // 75th percentile (ms)
	P75TTFB *float64 `json:"p75_ttfb"` // 75th percentile (ms)
}

// QueryType implements [Row].
func (VitalsTimeSeriesRow) QueryType() Type { return TypeVitalsTimeSeries }

// TrafficRow is a row of [TypeTraffic]. Traffic sources. Where visitors come from, campaigns and direct traffic included.
type TrafficRow struct {
	Name         string   `json:"name"`          // Name of the source
	Pageviews    int64    `json:"pageviews"`     // Pages seen
	Visitors     int64    `json:"visitors"`      // Distinct visitors with a pageview
	Percentage   *float64 `json:"percentage"`    // Share of the ordering metric over all rows (%)
	Referrer     string   `json:"referrer"`      // Address of the source, the text of a campaign, or direct
	Source       string   `json:"source"`        // Domain of a referrer, name or text of a campaign source, or direct
	Domain       string   `json:"domain"`        // Main domain of a known source, else the host of a referrer; empty for all others
	ReferrerType string   `json:"referrer_type"` // direct, search, social, email, paid, ai or other
}

// QueryType implements [Row].
func (TrafficRow) QueryType() Type { return TypeTraffic }

// TrafficSourcesRow is a row of [TypeTrafficSources]. Traffic sources. Where visitors come from, under its older name.
type TrafficSourcesRow struct {
	Name         string   `json:"name"`          // Name of the source
	Pageviews    int64    `json:"pageviews"`     // Pages seen
	Visitors     int64    `json:"visitors"`      // Distinct visitors with a pageview
	Percentage   *float64 `json:"percentage"`    // Share of the ordering metric over all rows (%)
	Referrer     string   `json:"referrer"`      // Address of the source, the text of a campaign, or direct
	Source       string   `json:"source"`        // Domain of a referrer, name or text of a campaign source, or direct
	Domain       string   `json:"domain"`        // Main domain of a known source, else the host of a referrer; empty for all others
	ReferrerType string   `json:"referrer_type"` // direct, search, social, email, paid, ai or other
}

// QueryType implements [Row].
func (TrafficSourcesRow) QueryType() Type { return TypeTrafficSources }

// TopReferrersRow is a row of [TypeTopReferrers]. Referrers. Other sites that visitors come from.
type TopReferrersRow struct {
	Name         string   `json:"name"`          // Name of the source
	Pageviews    int64    `json:"pageviews"`     // Pages seen
	Visitors     int64    `json:"visitors"`      // Distinct visitors with a pageview
	Percentage   *float64 `json:"percentage"`    // Share of the ordering metric over all rows (%)
	Referrer     string   `json:"referrer"`      // Address of the source, or direct
	Source       string   `json:"source"`        // Main domain of the source, or direct
	Domain       string   `json:"domain"`        // Main domain of the source, else its host; empty for direct traffic
	ReferrerType string   `json:"referrer_type"` // direct, search, social, email, paid, ai or other
}

// QueryType implements [Row].
func (TopReferrersRow) QueryType() Type { return TypeTopReferrers }

// UTMSourcesRow is a row of [TypeUTMSources]. UTM sources. Visitors by utm_source of the address they came by.
type UTMSourcesRow struct {
	Name       string   `json:"name"`       // utm_source of the address that the session came by
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UTMSourcesRow) QueryType() Type { return TypeUTMSources }

// UTMMediumsRow is a row of [TypeUTMMediums]. UTM mediums. Visitors by utm_medium of the address they came by.
type UTMMediumsRow struct {
	Name       string   `json:"name"`       // utm_medium of the address that the session came by
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UTMMediumsRow) QueryType() Type { return TypeUTMMediums }

// UTMCampaignsRow is a row of [TypeUTMCampaigns]. UTM campaigns. Visitors by utm_campaign of the address they came by.
type UTMCampaignsRow struct {
	Name       string   `json:"name"`       // utm_campaign of the address that the session came by
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UTMCampaignsRow) QueryType() Type { return TypeUTMCampaigns }

// UTMTermsRow is a row of [TypeUTMTerms]. UTM terms. Visitors by utm_term of the address they came by.
type UTMTermsRow struct {
	Name       string   `json:"name"`       // utm_term of the address that the session came by
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UTMTermsRow) QueryType() Type { return TypeUTMTerms }

// UTMContentRow is a row of [TypeUTMContent]. UTM content. Visitors by utm_content of the address they came by.
type UTMContentRow struct {
	Name       string   `json:"name"`       // utm_content of the address that the session came by
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UTMContentRow) QueryType() Type { return TypeUTMContent }

// BrowserNameRow is a row of [TypeBrowserName]. Browsers. Visitors by browser family.
type BrowserNameRow struct {
	Name       string   `json:"name"`       // Browser family; empty when it is not known
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (BrowserNameRow) QueryType() Type { return TypeBrowserName }

// OSNameRow is a row of [TypeOSName]. Operating systems. Visitors by operating system.
type OSNameRow struct {
	Name       string   `json:"name"`       // Operating system; empty when it is not known
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (OSNameRow) QueryType() Type { return TypeOSName }

// DeviceTypesRow is a row of [TypeDeviceTypes]. Devices. Visitors by kind of device.
type DeviceTypesRow struct {
	Name       string   `json:"name"`        // Kind of device as shown
	Pageviews  int64    `json:"pageviews"`   // Pages seen
	Visitors   int64    `json:"visitors"`    // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"`  // Share of the ordering metric over all rows (%)
	DeviceType string   `json:"device_type"` // Id of the kind of device: mobile, tablet, desktop, smarttv, console, wearable, embedded, xr
}

// QueryType implements [Row].
func (DeviceTypesRow) QueryType() Type { return TypeDeviceTypes }

// BrowsersGroupedRow is a row of [TypeBrowsersGrouped]. Browsers and sessions. Visitors and sessions by browser family, with the number of versions.
type BrowsersGroupedRow struct {
	Name       string   `json:"name"`       // Browser family; empty when it is not known
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
	Sessions   int64    `json:"sessions"`   // Sessions that began here and have a pageview
	Versions   int64    `json:"versions"`   // Distinct versions of the browser
}

// QueryType implements [Row].
func (BrowsersGroupedRow) QueryType() Type { return TypeBrowsersGrouped }

// BrowserVersionsRow is a row of [TypeBrowserVersions]. Browser versions. Visitors and sessions by browser and version.
type BrowserVersionsRow struct {
	Name       string   `json:"name"`       // Browser family; empty when it is not known
	Version    string   `json:"version"`    // Version of the browser; empty when it is not known
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Sessions   int64    `json:"sessions"`   // Sessions that began here and have a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (BrowserVersionsRow) QueryType() Type { return TypeBrowserVersions }

// OSVersionsRow is a row of [TypeOSVersions]. System versions. Visitors and sessions by operating system and version.
type OSVersionsRow struct {
	Name       string   `json:"name"`       // Operating system; empty when it is not known
	Version    string   `json:"version"`    // Version of the operating system; empty when it is not known
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Sessions   int64    `json:"sessions"`   // Sessions that began here and have a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (OSVersionsRow) QueryType() Type { return TypeOSVersions }

// ScreenResolutionsRow is a row of [TypeScreenResolutions]. Screens. Visitors by screen resolution.
type ScreenResolutionsRow struct {
	Name       string   `json:"name"`       // Size of the screen, as in 1920x1080
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ScreenResolutionsRow) QueryType() Type { return TypeScreenResolutions }

// LanguageRow is a row of [TypeLanguage]. Languages. Visitors by language.
type LanguageRow struct {
	Name       string   `json:"name"`       // Language of the browser, as in de-AT
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LanguageRow) QueryType() Type { return TypeLanguage }

// CountriesRow is a row of [TypeCountries]. Countries. Visitors by country.
type CountriesRow struct {
	Name        string   `json:"name"`         // English name
	Pageviews   int64    `json:"pageviews"`    // Pages seen
	Visitors    int64    `json:"visitors"`     // Distinct visitors with a pageview
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
}

// QueryType implements [Row].
func (CountriesRow) QueryType() Type { return TypeCountries }

// CountryRow is a row of [TypeCountry]. Countries. Visitors by country, under its older name.
type CountryRow struct {
	Name        string   `json:"name"`         // English name
	Pageviews   int64    `json:"pageviews"`    // Pages seen
	Visitors    int64    `json:"visitors"`     // Distinct visitors with a pageview
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
}

// QueryType implements [Row].
func (CountryRow) QueryType() Type { return TypeCountry }

// RegionRow is a row of [TypeRegion]. Regions. Visitors by region.
type RegionRow struct {
	Name        string   `json:"name"`         // Name of the region; empty when it is not known
	Pageviews   int64    `json:"pageviews"`    // Pages seen
	Visitors    int64    `json:"visitors"`     // Distinct visitors with a pageview
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
	Region      string   `json:"region"`       // Name of the region; empty when it is not known
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
}

// QueryType implements [Row].
func (RegionRow) QueryType() Type { return TypeRegion }

// CitiesRow is a row of [TypeCities]. Cities. Visitors by city.
type CitiesRow struct {
	Name        string   `json:"name"`         // Name of the city; empty when it is not known
	Pageviews   int64    `json:"pageviews"`    // Pages seen
	Visitors    int64    `json:"visitors"`     // Distinct visitors with a pageview
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
	City        string   `json:"city"`         // Name of the city; empty when it is not known
	Region      string   `json:"region"`       // Name of the region; empty when it is not known
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
}

// QueryType implements [Row].
func (CitiesRow) QueryType() Type { return TypeCities }

// CityRow is a row of [TypeCity]. Cities. Visitors by city, under its older name.
type CityRow struct {
	Name        string   `json:"name"`         // Name of the city; empty when it is not known
	Pageviews   int64    `json:"pageviews"`    // Pages seen
	Visitors    int64    `json:"visitors"`     // Distinct visitors with a pageview
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
	City        string   `json:"city"`         // Name of the city; empty when it is not known
	Region      string   `json:"region"`       // Name of the region; empty when it is not known
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
}

// QueryType implements [Row].
func (CityRow) QueryType() Type { return TypeCity }

// TimezoneRow is a row of [TypeTimezone]. Time zones. Visitors by their time zone.
type TimezoneRow struct {
	Name       string   `json:"name"`       // Time zone of the browser, as in Europe/Berlin
	Pageviews  int64    `json:"pageviews"`  // Pages seen
	Visitors   int64    `json:"visitors"`   // Distinct visitors with a pageview
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (TimezoneRow) QueryType() Type { return TypeTimezone }

// ErrorsRow is a row of [TypeErrors]. Errors. JavaScript errors by message and type.
type ErrorsRow struct {
	Message    string     `json:"message"`    // Message of the error
	ErrorType  string     `json:"error_type"` // Type of the error, as in TypeError
	Path       string     `json:"path"`       // Path of the latest error
	Count      int64      `json:"count"`      // JavaScript errors
	Users      int64      `json:"users"`      // Distinct visitors
	Sessions   int64      `json:"sessions"`   // Distinct session ids
	FirstSeen  *time.Time `json:"first_seen"` // Time of the first error in the range
	LastSeen   *time.Time `json:"last_seen"`  // Time of the latest error in the range
	Percentage *float64   `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ErrorsRow) QueryType() Type { return TypeErrors }

// ErrorTypesRow is a row of [TypeErrorTypes]. Error types. JavaScript errors by type.
type ErrorTypesRow struct {
	ErrorType  string     `json:"error_type"` // Type of the error, as in TypeError
	Count      int64      `json:"count"`      // JavaScript errors
	Users      int64      `json:"users"`      // Distinct visitors
	LastSeen   *time.Time `json:"last_seen"`  // Time of the latest error in the range
	Percentage *float64   `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ErrorTypesRow) QueryType() Type { return TypeErrorTypes }

// ErrorsByPageRow is a row of [TypeErrorsByPage]. Errors by page. JavaScript errors by page.
type ErrorsByPageRow struct {
	Path           string   `json:"path"`            // Path of the page, without query and trailing slash
	Name           string   `json:"name"`            // Path of the page, without query and trailing slash
	Errors         int64    `json:"errors"`          // JavaScript errors
	Users          int64    `json:"users"`           // Distinct visitors
	UniqueMessages int64    `json:"unique_messages"` // Distinct messages
	Percentage     *float64 `json:"percentage"`      // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (ErrorsByPageRow) QueryType() Type { return TypeErrorsByPage }

// ErrorTrendsRow is a row of [TypeErrorTrends]. Errors over time. JavaScript errors by day or hour.
type ErrorTrendsRow struct {
	Date     string `json:"date"`     // Local day or hour
	Errors   int64  `json:"errors"`   // JavaScript errors
	Users    int64  `json:"users"`    // Distinct visitors
	Sessions int64  `json:"sessions"` // Distinct session ids
}

// QueryType implements [Row].
func (ErrorTrendsRow) QueryType() Type { return TypeErrorTrends }

// SessionsRow is a row of [TypeSessions]. Sessions. Single sessions, the latest first.
type SessionsRow struct {
	SessionID    string     `json:"session_id"`    // Id of the session, as it was sent
	FirstVisit   *time.Time `json:"first_visit"`   // Time of the first event
	LastVisit    *time.Time `json:"last_visit"`    // Time of the last event
	Duration     *float64   `json:"duration"`      // At most 8 hours (s)
	PageViews    int64      `json:"page_views"`    // Pages seen in the whole session
	TotalEvents  int64      `json:"total_events"`  // Page events, custom events and clicks
	Bounced      *bool      `json:"bounced"`       // One pageview, under 10 s, without custom event or click
	EntryPage    string     `json:"entry_page"`    // Path of the first pageview of the session; empty without one
	ExitPage     string     `json:"exit_page"`     // Path of the last pageview of the session; empty without one
	VisitorID    string     `json:"visitor_id"`    // Profile id, else anonymous id
	ProfileID    string     `json:"profile_id"`    // Of the first page event; empty when nobody was identified
	Country      string     `json:"country"`       // English name
	CountryCode  string     `json:"country_code"`  // ISO 3166-1 alpha-2
	CountryName  string     `json:"country_name"`  // English name
	Region       string     `json:"region"`        // Name of the region; empty when it is not known
	City         string     `json:"city"`          // Name of the city; empty when it is not known
	Referrer     string     `json:"referrer"`      // Address of the source, the text of a campaign, or direct
	Source       string     `json:"source"`        // Domain of a referrer, name or text of a campaign source, or direct
	ReferrerType string     `json:"referrer_type"` // direct, search, social, email, paid, ai or other
	ReferrerName string     `json:"referrer_name"` // Name of the source
	DeviceType   string     `json:"device_type"`   // Id of the kind of device: mobile, tablet, desktop, smarttv, console, wearable, embedded, xr
	BrowserName  string     `json:"browser_name"`  // Browser family; empty when it is not known
	OSName       string     `json:"os_name"`       // Operating system; empty when it is not known
	Language     string     `json:"language"`      // Language of the browser, as in de-AT
}

// QueryType implements [Row].
func (SessionsRow) QueryType() Type { return TypeSessions }

// SessionListRow is a row of [TypeSessionList]. Sessions with events. Single sessions with their first 200 events, the latest first.
type SessionListRow struct {
	SessionID    string          `json:"session_id"`    // Id of the session, as it was sent
	FirstVisit   *time.Time      `json:"first_visit"`   // Time of the first event
	LastVisit    *time.Time      `json:"last_visit"`    // Time of the last event
	Duration     *float64        `json:"duration"`      // At most 8 hours (s)
	PageViews    int64           `json:"page_views"`    // Pages seen in the whole session
	TotalEvents  int64           `json:"total_events"`  // Page events, custom events and clicks
	Bounced      *bool           `json:"bounced"`       // One pageview, under 10 s, without custom event or click
	EntryPage    string          `json:"entry_page"`    // Path of the first pageview of the session; empty without one
	ExitPage     string          `json:"exit_page"`     // Path of the last pageview of the session; empty without one
	VisitorID    string          `json:"visitor_id"`    // Profile id, else anonymous id
	ProfileID    string          `json:"profile_id"`    // Of the first page event; empty when nobody was identified
	Country      string          `json:"country"`       // English name
	CountryCode  string          `json:"country_code"`  // ISO 3166-1 alpha-2
	CountryName  string          `json:"country_name"`  // English name
	Region       string          `json:"region"`        // Name of the region; empty when it is not known
	City         string          `json:"city"`          // Name of the city; empty when it is not known
	Referrer     string          `json:"referrer"`      // Address of the source, the text of a campaign, or direct
	Source       string          `json:"source"`        // Domain of a referrer, name or text of a campaign source, or direct
	ReferrerType string          `json:"referrer_type"` // direct, search, social, email, paid, ai or other
	ReferrerName string          `json:"referrer_name"` // Name of the source
	DeviceType   string          `json:"device_type"`   // Id of the kind of device: mobile, tablet, desktop, smarttv, console, wearable, embedded, xr
	BrowserName  string          `json:"browser_name"`  // Browser family; empty when it is not known
	OSName       string          `json:"os_name"`       // Operating system; empty when it is not known
	Language     string          `json:"language"`      // Language of the browser, as in de-AT
	Events       json.RawMessage `json:"events"`        // The session's first 200 events, in their order
}

// QueryType implements [Row].
func (SessionListRow) QueryType() Type { return TypeSessionList }

// SessionEventsRow is a row of [TypeSessionEvents]. Events of a session. What happened in one session, in order; needs a filter on session_id.
type SessionEventsRow struct {
	EventID    string          `json:"event_id"`   // Id of the event, as it was sent or made
	Timestamp  *time.Time      `json:"timestamp"`  // When it happened
	Kind       string          `json:"kind"`       // pageview, exit, event or click
	Name       string          `json:"name"`       // Of a click its address
	Path       string          `json:"path"`       // Path of the page, without query and trailing slash
	Properties json.RawMessage `json:"properties"` // An object
}

// QueryType implements [Row].
func (SessionEventsRow) QueryType() Type { return TypeSessionEvents }

// SessionMetricsRow is a row of [TypeSessionMetrics]. Session metrics. Sessions and their quality over the whole range.
type SessionMetricsRow struct {
	TotalSessions         int64    `json:"total_sessions"`          // Sessions that began here and have a pageview
	AvgSessionDuration    *float64 `json:"avg_session_duration"`    // Mean over all sessions (s)
	MedianSessionDuration *float64 `json:"median_session_duration"` // Median over all sessions (s)
	BounceRate            *float64 `json:"bounce_rate"`             // Share of sessions of one pageview, under 10 s, without custom event or click (%)
	PagesPerSession       *float64 `json:"pages_per_session"`       // Pageviews of the row per session started in it
	TotalEvents           int64    `json:"total_events"`            // Page events, custom events and clicks
}

// QueryType implements [Row].
func (SessionMetricsRow) QueryType() Type { return TypeSessionMetrics }

// SessionsTimeSeriesRow is a row of [TypeSessionsTimeSeries]. Sessions over time. Sessions and their quality by day or hour.
type SessionsTimeSeriesRow struct {
	Date               string   `json:"date"`                 // Local day or hour
	Sessions           int64    `json:"sessions"`             // Sessions that began here and have a pageview
	Visitors           int64    `json:"visitors"`             // Distinct visitors with a pageview
	AvgSessionDuration *float64 `json:"avg_session_duration"` // Mean over all sessions (s)
	BounceRate         *float64 `json:"bounce_rate"`          // Share of sessions of one pageview, under 10 s, without custom event or click (%)
}

// QueryType implements [Row].
func (SessionsTimeSeriesRow) QueryType() Type { return TypeSessionsTimeSeries }

// SessionDurationDistributionRow is a row of [TypeSessionDurationDistribution]. Session durations. Sessions by their length, in six ranges.
type SessionDurationDistributionRow struct {
	DurationRange string   `json:"duration_range"` // Length of the session, the lower bound included
	Sessions      int64    `json:"sessions"`       // Sessions that began here and have a pageview
	Visitors      int64    `json:"visitors"`       // Distinct visitors of the sessions
	Percentage    *float64 `json:"percentage"`     // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (SessionDurationDistributionRow) QueryType() Type { return TypeSessionDurationDistribution }

// ProfilesRow is a row of [TypeProfiles]. Profiles. Single visitors and what they did in the range, the latest first.
type ProfilesRow struct {
	VisitorID        string     `json:"visitor_id"`         // Profile id, else anonymous id
	ProfileID        string     `json:"profile_id"`         // Of the latest event
	DisplayName      string     `json:"display_name"`       // The trait username, else name, of the profile; no answer can be sorted by it
	FirstVisit       *time.Time `json:"first_visit"`        // In the range
	LastVisit        *time.Time `json:"last_visit"`         // In the range
	SessionCount     int64      `json:"session_count"`      // That began in the range
	TotalEvents      int64      `json:"total_events"`       // Page events, custom events and clicks
	Pageviews        int64      `json:"pageviews"`          // Pages seen in the range
	UniquePages      int64      `json:"unique_pages"`       // Distinct paths
	CustomEventCount int64      `json:"custom_event_count"` // Also those whose names begin with $
	Country          string     `json:"country"`            // English name
	CountryCode      string     `json:"country_code"`       // Of the session of the latest event
	CountryName      string     `json:"country_name"`       // English name
	Region           string     `json:"region"`             // Of the session of the latest event
	DeviceType       string     `json:"device_type"`        // Of the session of the latest event
	BrowserName      string     `json:"browser_name"`       // Of the session of the latest event
	OSName           string     `json:"os_name"`            // Of the session of the latest event
	Referrer         string     `json:"referrer"`           // Of the session of the latest event: address of the source, the text of a campaign, or direct
}

// QueryType implements [Row].
func (ProfilesRow) QueryType() Type { return TypeProfiles }

// ProfileListRow is a row of [TypeProfileList]. Profiles. Single visitors, under an older name.
type ProfileListRow struct {
	VisitorID        string     `json:"visitor_id"`         // Profile id, else anonymous id
	ProfileID        string     `json:"profile_id"`         // Of the latest event
	DisplayName      string     `json:"display_name"`       // The trait username, else name, of the profile; no answer can be sorted by it
	FirstVisit       *time.Time `json:"first_visit"`        // In the range
	LastVisit        *time.Time `json:"last_visit"`         // In the range
	SessionCount     int64      `json:"session_count"`      // That began in the range
	TotalEvents      int64      `json:"total_events"`       // Page events, custom events and clicks
	Pageviews        int64      `json:"pageviews"`          // Pages seen in the range
	UniquePages      int64      `json:"unique_pages"`       // Distinct paths
	CustomEventCount int64      `json:"custom_event_count"` // Also those whose names begin with $
	Country          string     `json:"country"`            // English name
	CountryCode      string     `json:"country_code"`       // Of the session of the latest event
	CountryName      string     `json:"country_name"`       // English name
	Region           string     `json:"region"`             // Of the session of the latest event
	DeviceType       string     `json:"device_type"`        // Of the session of the latest event
	BrowserName      string     `json:"browser_name"`       // Of the session of the latest event
	OSName           string     `json:"os_name"`            // Of the session of the latest event
	Referrer         string     `json:"referrer"`           // Of the session of the latest event: address of the source, the text of a campaign, or direct
}

// QueryType implements [Row].
func (ProfileListRow) QueryType() Type { return TypeProfileList }

// CustomEventsRow is a row of [TypeCustomEvents]. Custom events. Custom events by name.
type CustomEventsRow struct {
	Name                 string     `json:"name"`                   // Name of the event
	TotalEvents          int64      `json:"total_events"`           // Custom events
	UniqueUsers          int64      `json:"unique_users"`           // Distinct visitors
	UniqueSessions       int64      `json:"unique_sessions"`        // Distinct session ids
	FirstOccurrence      *time.Time `json:"first_occurrence"`       // Time of the first event in the range
	LastOccurrence       *time.Time `json:"last_occurrence"`        // Time of the latest event in the range
	EventsWithProperties int64      `json:"events_with_properties"` // Events that have a property
	Percentage           *float64   `json:"percentage"`             // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (CustomEventsRow) QueryType() Type { return TypeCustomEvents }

// CustomEventPropertiesRow is a row of [TypeCustomEventProperties]. Event properties. Values of the properties of custom events.
type CustomEventPropertiesRow struct {
	Name          string `json:"name"`           // Name of the event
	PropertyKey   string `json:"property_key"`   // Name of the property
	PropertyValue string `json:"property_value"` // Value of the property: a text as it is, all else as JSON
	Count         int64  `json:"count"`          // Events with this value
}

// QueryType implements [Row].
func (CustomEventPropertiesRow) QueryType() Type { return TypeCustomEventProperties }

// CustomEventsTrendsRow is a row of [TypeCustomEventsTrends]. Custom events over time. Custom events by day or hour.
type CustomEventsTrendsRow struct {
	Date           string `json:"date"`            // Local day or hour
	TotalEvents    int64  `json:"total_events"`    // Custom events
	UniqueUsers    int64  `json:"unique_users"`    // Distinct visitors
	UniqueSessions int64  `json:"unique_sessions"` // Distinct session ids
}

// QueryType implements [Row].
func (CustomEventsTrendsRow) QueryType() Type { return TypeCustomEventsTrends }

// FlagExposuresRow is a row of [TypeFlagExposures]. Flag exposures. Visitors, sessions and exposures of each variant of a feature flag, from events $flag_evaluated.
type FlagExposuresRow struct {
	Flag      string `json:"flag"`      // Key of the flag
	Variant   string `json:"variant"`   // Key of the variant; without one, true or false: whether the flag was enabled
	Visitors  int64  `json:"visitors"`  // Distinct visitors who were shown it
	Sessions  int64  `json:"sessions"`  // Distinct session ids that were shown it
	Exposures int64  `json:"exposures"` // Events $flag_evaluated
}

// QueryType implements [Row].
func (FlagExposuresRow) QueryType() Type { return TypeFlagExposures }

// FlagOutcomesRow is a row of [TypeFlagOutcomes]. Flag outcomes. Conversions after the exposure to a variant of a feature flag: outcome events of the flag, or events with the name in a filter.
type FlagOutcomesRow struct {
	Flag           string          `json:"flag"`            // Key of the flag
	Variant        string          `json:"variant"`         // Key of the variant; without one, true or false: whether the flag was enabled
	Visitors       int64           `json:"visitors"`        // Distinct visitors whose first exposure to the flag in the range was this variant
	Converted      int64           `json:"converted"`       // Visitors of the variant with an outcome at or after that exposure
	ConversionRate *float64        `json:"conversion_rate"` // Share of the visitors that converted (%)
	ConversionLow  *float64        `json:"conversion_low"`  // Lower end of the 95 % interval of the conversion, after Wilson (%)
	ConversionHigh *float64        `json:"conversion_high"` // Upper end of the 95 % interval of the conversion, after Wilson (%)
	Statuses       json.RawMessage `json:"statuses"`        // List of {status, visitors}: converted visitors by status of their outcomes, the 50 most frequent
}

// QueryType implements [Row].
func (FlagOutcomesRow) QueryType() Type { return TypeFlagOutcomes }

// OutboundLinksRow is a row of [TypeOutboundLinks]. Outgoing links. Clicks that leave the site, by address and text.
type OutboundLinksRow struct {
	Href           string     `json:"href"`            // Address that the link leads to
	Text           string     `json:"text"`            // Text of the link
	TotalClicks    int64      `json:"total_clicks"`    // Clicks on outgoing links
	UniqueUsers    int64      `json:"unique_users"`    // Distinct visitors
	UniqueSessions int64      `json:"unique_sessions"` // Distinct session ids
	Percentage     *float64   `json:"percentage"`      // Share of the ordering metric over all rows (%)
	LastClicked    *time.Time `json:"last_clicked"`    // Time of the latest click in the range
}

// QueryType implements [Row].
func (OutboundLinksRow) QueryType() Type { return TypeOutboundLinks }

// OutboundDomainsRow is a row of [TypeOutboundDomains]. Outgoing domains. Clicks that leave the site, by domain.
type OutboundDomainsRow struct {
	Domain      string   `json:"domain"`       // Host that the link leads to, without www
	TotalClicks int64    `json:"total_clicks"` // Clicks on outgoing links
	UniqueUsers int64    `json:"unique_users"` // Distinct visitors
	UniqueLinks int64    `json:"unique_links"` // Distinct addresses
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (OutboundDomainsRow) QueryType() Type { return TypeOutboundDomains }

// GoalsRow is a row of [TypeGoals]. Goals. Visitors who reached goals, how often, and what it was worth.
type GoalsRow struct {
	Name           string   `json:"name"`            // Name of the goal
	Visitors       int64    `json:"visitors"`        // Distinct visitors of the conversions
	Conversions    int64    `json:"conversions"`     // Events that the goal means
	ConversionRate *float64 `json:"conversion_rate"` // Share of all visitors with an event in the range that reached the goal (%)
	Value          *float64 `json:"value"`           // Sum of the property that the goal names, over the conversions where it is a number; null without a name
	AvgValue       *float64 `json:"avg_value"`       // Value per conversion that has one
}

// QueryType implements [Row].
func (GoalsRow) QueryType() Type { return TypeGoals }

// GoalsTrendsRow is a row of [TypeGoalsTrends]. Goals over time. Visitors who reached goals by hour, day, week or month.
type GoalsTrendsRow struct {
	Date        string   `json:"date"`        // Local day or hour
	Name        string   `json:"name"`        // Name of the goal
	Visitors    int64    `json:"visitors"`    // Distinct visitors of the conversions
	Conversions int64    `json:"conversions"` // Events that the goal means
	Value       *float64 `json:"value"`       // Sum of the property that the goal names, over the conversions where it is a number; null without a name
}

// QueryType implements [Row].
func (GoalsTrendsRow) QueryType() Type { return TypeGoalsTrends }

// FunnelRow is a row of [TypeFunnel]. Funnel. How many visitors or sessions do the steps of the parameter one after the other, and how long they take.
type FunnelRow struct {
	Step           *int64   `json:"step"`            // Place of the step, from 1
	Name           string   `json:"name"`            // Name of the step, or what it matches
	Visitors       int64    `json:"visitors"`        // Distinct visitors who reached the step; within sessions the column is called sessions
	ConversionRate *float64 `json:"conversion_rate"` // Share of the first step that reached this one (%)
	StepRate       *float64 `json:"step_rate"`       // Share of the step before that reached this one; 100 for the first (%)
	Dropoff        int64    `json:"dropoff"`         // Visitors or sessions that reached the step before and not this one
	MedianSeconds  *float64 `json:"median_seconds"`  // Median of the shortest times from the first step to this one (s)
}

// QueryType implements [Row].
func (FunnelRow) QueryType() Type { return TypeFunnel }

// RetentionRow is a row of [TypeRetention]. Retention. How many visitors of each day, week (the default) or month return later, from their first start event; needs visitor ids that last, from profileId.
type RetentionRow struct {
	Date       string   `json:"date"`        // Local day or hour
	Period     *int64   `json:"period"`      // Number of days, weeks or months since the cohort's: 0 is its own
	CohortSize int64    `json:"cohort_size"` // Visitors whose first start event in the range lies in the bucket of the date
	Visitors   int64    `json:"visitors"`    // Visitors of the cohort with a return event in the period, not before their start event
	Percentage *float64 `json:"percentage"`  // Visitors who returned, of the cohort (%)
}

// QueryType implements [Row].
func (RetentionRow) QueryType() Type { return TypeRetention }

// PathsRow is a row of [TypePaths]. Paths. Steps from page to page within sessions; an empty path is the entry or the exit.
type PathsRow struct {
	FromPath    string   `json:"from_path"`   // Path before the step; empty where the session begins
	ToPath      string   `json:"to_path"`     // Path after the step; empty where the session ends
	Transitions int64    `json:"transitions"` // Times that people went from the one page to the other
	Sessions    int64    `json:"sessions"`    // Sessions with such a step
	Visitors    int64    `json:"visitors"`    // Distinct visitors with such a step
	Percentage  *float64 `json:"percentage"`  // Share of the ordering metric over the rows with the same from_path (%)
}

// QueryType implements [Row].
func (PathsRow) QueryType() Type { return TypePaths }

// BlockedTrafficRow is a row of [TypeBlockedTraffic]. Blocked traffic. Ignored and refused requests to tracking, by reason and name of the bot; no other type counts them.
type BlockedTrafficRow struct {
	Reason     string     `json:"reason"`     // Why the request was ignored or refused: bot, origin, address, window, key, quota, paused or properties
	BotName    string     `json:"bot_name"`   // Name of the bot; empty for other reasons
	Requests   int64      `json:"requests"`   // Requests that were refused before their events were read, and single events that were ignored or refused
	Percentage *float64   `json:"percentage"` // Share of the ordering metric over all rows (%)
	LastSeen   *time.Time `json:"last_seen"`  // To some seconds: requests are counted together
}

// QueryType implements [Row].
func (BlockedTrafficRow) QueryType() Type { return TypeBlockedTraffic }

// BlockedTrafficTrendsRow is a row of [TypeBlockedTrafficTrends]. Blocked traffic over time. Ignored and refused requests to tracking by day or hour; group by reason or bot_name to separate them.
type BlockedTrafficTrendsRow struct {
	Date     string `json:"date"`     // Local day or hour
	Requests int64  `json:"requests"` // Requests that were refused before their events were read, and single events that were ignored or refused
}

// QueryType implements [Row].
func (BlockedTrafficTrendsRow) QueryType() Type { return TypeBlockedTrafficTrends }

// LinkTotalClicksRow is a row of [TypeLinkTotalClicks]. Clicks. Clicks on the link, bots left out.
type LinkTotalClicksRow struct {
	Total int64 `json:"total"` // Visits of people
}

// QueryType implements [Row].
func (LinkTotalClicksRow) QueryType() Type { return TypeLinkTotalClicks }

// LinkClicksByDayRow is a row of [TypeLinkClicksByDay]. Clicks over time. Clicks on the link by day or hour.
type LinkClicksByDayRow struct {
	Date   string `json:"date"`   // Local day or hour
	Clicks int64  `json:"clicks"` // Visits of people
}

// QueryType implements [Row].
func (LinkClicksByDayRow) QueryType() Type { return TypeLinkClicksByDay }

// LinkTopReferrersRow is a row of [TypeLinkTopReferrers]. Referrers of the link. Where clicks come from.
type LinkTopReferrersRow struct {
	Name         string   `json:"name"`          // Name of the source
	Referrer     string   `json:"referrer"`      // Address of the source, or direct
	Source       string   `json:"source"`        // Main domain of the source, or direct
	Domain       string   `json:"domain"`        // Main domain of the source, else its host; empty for direct traffic
	ReferrerType string   `json:"referrer_type"` // direct, search, social, email, paid, ai or other
	Clicks       int64    `json:"clicks"`        // Visits of people
	Percentage   *float64 `json:"percentage"`    // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopReferrersRow) QueryType() Type { return TypeLinkTopReferrers }

// LinkTopCountriesRow is a row of [TypeLinkTopCountries]. Countries of the link. Clicks by country.
type LinkTopCountriesRow struct {
	Name        string   `json:"name"`         // English name of the country, or Unknown
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
	Clicks      int64    `json:"clicks"`       // Visits of people
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopCountriesRow) QueryType() Type { return TypeLinkTopCountries }

// LinkTopRegionsRow is a row of [TypeLinkTopRegions]. Regions of the link. Clicks by region.
type LinkTopRegionsRow struct {
	Name        string   `json:"name"`         // Name of the region, or Unknown
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
	Region      string   `json:"region"`       // Name of the region; empty when it is not known
	Clicks      int64    `json:"clicks"`       // Visits of people
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopRegionsRow) QueryType() Type { return TypeLinkTopRegions }

// LinkTopCitiesRow is a row of [TypeLinkTopCities]. Cities of the link. Clicks by city.
type LinkTopCitiesRow struct {
	Name        string   `json:"name"`         // Name of the city, or Unknown
	Country     string   `json:"country"`      // English name
	CountryCode string   `json:"country_code"` // ISO 3166-1 alpha-2
	CountryName string   `json:"country_name"` // English name
	Region      string   `json:"region"`       // Name of the region; of no place empty
	City        string   `json:"city"`         // Name of the city; empty when it is not known
	Clicks      int64    `json:"clicks"`       // Visits of people
	Percentage  *float64 `json:"percentage"`   // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopCitiesRow) QueryType() Type { return TypeLinkTopCities }

// LinkTopDevicesRow is a row of [TypeLinkTopDevices]. Devices of the link. Clicks by kind of device.
type LinkTopDevicesRow struct {
	Name       string   `json:"name"`       // Kind of device as shown, or Unknown
	Clicks     int64    `json:"clicks"`     // Visits of people
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopDevicesRow) QueryType() Type { return TypeLinkTopDevices }

// LinkTopBrowsersRow is a row of [TypeLinkTopBrowsers]. Browsers of the link. Clicks by browser.
type LinkTopBrowsersRow struct {
	Name       string   `json:"name"`       // Browser family, or Unknown
	Clicks     int64    `json:"clicks"`     // Visits of people
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (LinkTopBrowsersRow) QueryType() Type { return TypeLinkTopBrowsers }

// UptimeOverviewRow is a row of [TypeUptimeOverview]. Uptime. Uptime, response times and certificate over the whole range.
type UptimeOverviewRow struct {
	UptimePercentage *float64   `json:"uptime_percentage"` // Checks that are up, of those up or down (%)
	TotalChecks      int64      `json:"total_checks"`      // Checks that are up or down
	SuccessfulChecks int64      `json:"successful_checks"` // Checks that are up
	AvgResponseTime  *float64   `json:"avg_response_time"` // Of checks that are up (ms)
	P50ResponseTime  *float64   `json:"p50_response_time"` // Of checks that are up (ms)
	P75ResponseTime  *float64   `json:"p75_response_time"` // Of checks that are up (ms)
	P95ResponseTime  *float64   `json:"p95_response_time"` // Of checks that are up (ms)
	P99ResponseTime  *float64   `json:"p99_response_time"` // Of checks that are up (ms)
	MinResponseTime  *float64   `json:"min_response_time"` // Of checks that are up (ms)
	MaxResponseTime  *float64   `json:"max_response_time"` // Of checks that are up (ms)
	AvgTTFB          *float64   `json:"avg_ttfb"`          // Of checks that are up (ms)
	SSLExpiry        *time.Time `json:"ssl_expiry"`        // As of the latest check that tested the certificate
	SSLValid         *bool      `json:"ssl_valid"`         // As of the latest check that tested the certificate
}

// QueryType implements [Row].
func (UptimeOverviewRow) QueryType() Type { return TypeUptimeOverview }

// UptimeTimeSeriesRow is a row of [TypeUptimeTimeSeries]. Uptime over time. Uptime, downtime and response times by day or hour.
type UptimeTimeSeriesRow struct {
	Date             string   `json:"date"`              // Local day or hour
	UptimePercentage *float64 `json:"uptime_percentage"` // Checks that are up, of those up or down (%)
	TotalChecks      int64    `json:"total_checks"`      // Checks that are up or down
	SuccessfulChecks int64    `json:"successful_checks"` // Checks that are up
	DowntimeSeconds  float64  `json:"downtime_seconds"`  // Time from each check that is down to the next check (s)
	AvgResponseTime  *float64 `json:"avg_response_time"` // Of checks that are up (ms)
	P50ResponseTime  *float64 `json:"p50_response_time"` // Of checks that are up (ms)
	P95ResponseTime  *float64 `json:"p95_response_time"` // Of checks that are up (ms)
	MaxResponseTime  *float64 `json:"max_response_time"` // Of checks that are up (ms)
	AvgTTFB          *float64 `json:"avg_ttfb"`          // Of checks that are up (ms)
	P50TTFB          *float64 `json:"p50_ttfb"`          // Of checks that are up (ms)
	P95TTFB          *float64 `json:"p95_ttfb"`          // Of checks that are up (ms)
}

// QueryType implements [Row].
func (UptimeTimeSeriesRow) QueryType() Type { return TypeUptimeTimeSeries }

// UptimeStatusBreakdownRow is a row of [TypeUptimeStatusBreakdown]. Statuses. Checks by their outcome and HTTP status.
type UptimeStatusBreakdownRow struct {
	Status     *int64   `json:"status"`     // 1 up, 0 down, 2 pending, 3 maintenance
	HTTPCode   *int64   `json:"http_code"`  // HTTP status of the answer; 0 without an answer
	Count      int64    `json:"count"`      // Checks of any status
	Percentage *float64 `json:"percentage"` // Share of the ordering metric over all rows (%)
}

// QueryType implements [Row].
func (UptimeStatusBreakdownRow) QueryType() Type { return TypeUptimeStatusBreakdown }

// UptimeRecentChecksRow is a row of [TypeUptimeRecentChecks]. Checks. Single checks, the latest first.
type UptimeRecentChecksRow struct {
	Timestamp   *time.Time `json:"timestamp"`    // When it was made
	URL         string     `json:"url"`          // The address of the check
	Status      *int64     `json:"status"`       // 1 up, 0 down, 2 pending, 3 maintenance
	HTTPCode    *int64     `json:"http_code"`    // HTTP status of the answer; 0 without an answer
	TTFBMs      *int64     `json:"ttfb_ms"`      // Until the answer began (ms)
	TotalMs     *int64     `json:"total_ms"`     // Until the answer was whole (ms)
	ProbeRegion string     `json:"probe_region"` // Region that the check was made from
	SSLValid    *bool      `json:"ssl_valid"`    // Result of the check; null when it did not test the certificate
	Error       string     `json:"error"`        // Why it failed; empty when it did not
}

// QueryType implements [Row].
func (UptimeRecentChecksRow) QueryType() Type { return TypeUptimeRecentChecks }

// UptimeResponseTimeTrendsRow is a row of [TypeUptimeResponseTimeTrends]. Response times. Response times by day or hour.
type UptimeResponseTimeTrendsRow struct {
	Date            string   `json:"date"`              // Local day or hour
	AvgResponseTime *float64 `json:"avg_response_time"` // Of checks that are up (ms)
	P50ResponseTime *float64 `json:"p50_response_time"` // Of checks that are up (ms)
	P75ResponseTime *float64 `json:"p75_response_time"` // Of checks that are up (ms)
	P90ResponseTime *float64 `json:"p90_response_time"` // Of checks that are up (ms)
	P95ResponseTime *float64 `json:"p95_response_time"` // Of checks that are up (ms)
	P99ResponseTime *float64 `json:"p99_response_time"` // Of checks that are up (ms)
	MinResponseTime *float64 `json:"min_response_time"` // Of checks that are up (ms)
	MaxResponseTime *float64 `json:"max_response_time"` // Of checks that are up (ms)
	AvgTTFB         *float64 `json:"avg_ttfb"`          // Of checks that are up (ms)
}

// QueryType implements [Row].
func (UptimeResponseTimeTrendsRow) QueryType() Type { return TypeUptimeResponseTimeTrends }

// UptimeSSLStatusRow is a row of [TypeUptimeSSLStatus]. Certificate. The certificate as seen by the latest check that tested it.
type UptimeSSLStatusRow struct {
	SSLExpiry        *time.Time `json:"ssl_expiry"`         // As of the latest check that tested the certificate
	SSLValid         *bool      `json:"ssl_valid"`          // As of the latest check that tested the certificate
	InvalidSSLChecks int64      `json:"invalid_ssl_checks"` // Checks that found one
}

// QueryType implements [Row].
func (UptimeSSLStatusRow) QueryType() Type { return TypeUptimeSSLStatus }

// UptimeByRegionRow is a row of [TypeUptimeByRegion]. Regions. Uptime and response times by the region of the probe.
type UptimeByRegionRow struct {
	Region           string   `json:"region"`            // Region that the check was made from
	UptimePercentage *float64 `json:"uptime_percentage"` // Checks that are up, of those up or down (%)
	TotalChecks      int64    `json:"total_checks"`      // Checks that are up or down
	AvgResponseTime  *float64 `json:"avg_response_time"` // Of checks that are up (ms)
	P95ResponseTime  *float64 `json:"p95_response_time"` // Of checks that are up (ms)
}

// QueryType implements [Row].
func (UptimeByRegionRow) QueryType() Type { return TypeUptimeByRegion }

// HoursRow is a row of [TypeHours]. Hours of the week. Pageviews and visitors by local day of the week and hour: 168 rows.
type HoursRow struct {
	Weekday   *int64 `json:"weekday"`     // Local day of the week: 1 Monday to 7 Sunday
	HourOfDay *int64 `json:"hour_of_day"` // Local hour of the row, or of the start of the session, in the time zone of the request: 0 to 23
	Pageviews int64  `json:"pageviews"`   // Pages seen
	Visitors  int64  `json:"visitors"`    // Distinct visitors with a pageview
}

// QueryType implements [Row].
func (HoursRow) QueryType() Type { return TypeHours }

// WhyRow is a row of [TypeWhy]. Why. Which values of dimensions made a metric change between two periods, the surest first.
type WhyRow struct {
	Dimension  string   `json:"dimension"`  // Field whose value the row is about
	Value      string   `json:"value"`      // Value of the dimension, as groupBy shows it
	Current    int64    `json:"current"`    // The metric with this value in the range
	Previous   int64    `json:"previous"`   // The same in the period that the range is compared with
	Difference *int64   `json:"difference"` // Current minus previous
	Expected   *float64 `json:"expected"`   // What current would be if the share of the value had not changed; null if the metric was 0
	Weight     *float64 `json:"weight"`     // How surely the share of the value changed, with the sign of the change: the signed root of the G statistic
}

// QueryType implements [Row].
func (WhyRow) QueryType() Type { return TypeWhy }
