// Code generated from the OpenAPI document by go test ./internal/docgen -run GoldenClient -update. DO NOT EDIT.

package client

// A Type is the name of a query type.
type Type string

// The values of [Type].
const (
	TypeSummary                     Type = "summary"
	TypeEventsByDate                Type = "events_by_date"
	TypeSummaryMetrics              Type = "summary_metrics"
	TypeTodayMetrics                Type = "today_metrics"
	TypeActiveStats                 Type = "active_stats"
	TypePages                       Type = "pages"
	TypeTopPages                    Type = "top_pages"
	TypeRealtimePages               Type = "realtime_pages"
	TypeEntryPages                  Type = "entry_pages"
	TypeExitPages                   Type = "exit_pages"
	TypePageTimeAnalysis            Type = "page_time_analysis"
	TypeEngagement                  Type = "engagement"
	TypeScrollDepthDistribution     Type = "scroll_depth_distribution"
	TypeFrustrationByPage           Type = "frustration_by_page"
	TypePerformance                 Type = "performance"
	TypeWebVitalsByPage             Type = "web_vitals_by_page"
	TypeVitalsOverview              Type = "vitals_overview"
	TypeVitalsTimeSeries            Type = "vitals_time_series"
	TypeTraffic                     Type = "traffic"
	TypeTrafficSources              Type = "traffic_sources"
	TypeTopReferrers                Type = "top_referrers"
	TypeUTMSources                  Type = "utm_sources"
	TypeUTMMediums                  Type = "utm_mediums"
	TypeUTMCampaigns                Type = "utm_campaigns"
	TypeUTMTerms                    Type = "utm_terms"
	TypeUTMContent                  Type = "utm_content"
	TypeBrowserName                 Type = "browser_name"
	TypeOSName                      Type = "os_name"
	TypeDeviceTypes                 Type = "device_types"
	TypeBrowsersGrouped             Type = "browsers_grouped"
	TypeBrowserVersions             Type = "browser_versions"
	TypeOSVersions                  Type = "os_versions"
	TypeScreenResolutions           Type = "screen_resolutions"
	TypeLanguage                    Type = "language"
	TypeCountries                   Type = "countries"
	TypeCountry                     Type = "country"
	TypeRegion                      Type = "region"
	TypeCities                      Type = "cities"
	TypeCity                        Type = "city"
	TypeTimezone                    Type = "timezone"
	TypeErrors                      Type = "errors"
	TypeErrorTypes                  Type = "error_types"
	TypeErrorsByPage                Type = "errors_by_page"
	TypeErrorTrends                 Type = "error_trends"
	TypeSessions                    Type = "sessions"
	TypeSessionList                 Type = "session_list"
	TypeSessionEvents               Type = "session_events"
	TypeSessionMetrics              Type = "session_metrics"
	TypeSessionsTimeSeries          Type = "sessions_time_series"
	TypeSessionDurationDistribution Type = "session_duration_distribution"
	TypeProfiles                    Type = "profiles"
	TypeProfileList                 Type = "profile_list"
	TypeCustomEvents                Type = "custom_events"
	TypeCustomEventProperties       Type = "custom_event_properties"
	TypeCustomEventsTrends          Type = "custom_events_trends"
	TypeFlagExposures               Type = "flag_exposures"
	TypeFlagOutcomes                Type = "flag_outcomes"
	TypeOutboundLinks               Type = "outbound_links"
	TypeOutboundDomains             Type = "outbound_domains"
	TypeGoals                       Type = "goals"
	TypeGoalsTrends                 Type = "goals_trends"
	TypeFunnel                      Type = "funnel"
	TypeRetention                   Type = "retention"
	TypePaths                       Type = "paths"
	TypeBlockedTraffic              Type = "blocked_traffic"
	TypeBlockedTrafficTrends        Type = "blocked_traffic_trends"
	TypeLinkTotalClicks             Type = "link_total_clicks"
	TypeLinkClicksByDay             Type = "link_clicks_by_day"
	TypeLinkTopReferrers            Type = "link_top_referrers"
	TypeLinkTopCountries            Type = "link_top_countries"
	TypeLinkTopRegions              Type = "link_top_regions"
	TypeLinkTopCities               Type = "link_top_cities"
	TypeLinkTopDevices              Type = "link_top_devices"
	TypeLinkTopBrowsers             Type = "link_top_browsers"
	TypeUptimeOverview              Type = "uptime_overview"
	TypeUptimeTimeSeries            Type = "uptime_time_series"
	TypeUptimeStatusBreakdown       Type = "uptime_status_breakdown"
	TypeUptimeRecentChecks          Type = "uptime_recent_checks"
	TypeUptimeResponseTimeTrends    Type = "uptime_response_time_trends"
	TypeUptimeSSLStatus             Type = "uptime_ssl_status"
	TypeUptimeByRegion              Type = "uptime_by_region"
	TypeHours                       Type = "hours"
)

// A Preset is a range by name.
type Preset string

// The values of [Preset].
const (
	PresetLast30m   Preset = "last_30m"
	PresetLast60m   Preset = "last_60m"
	PresetLast24h   Preset = "last_24h"
	PresetToday     Preset = "today"
	PresetYesterday Preset = "yesterday"
	PresetLast7d    Preset = "last_7d"
	PresetLast14d   Preset = "last_14d"
	PresetLast28d   Preset = "last_28d"
	PresetLast30d   Preset = "last_30d"
	PresetLast90d   Preset = "last_90d"
	PresetLast180d  Preset = "last_180d"
	PresetLast365d  Preset = "last_365d"
	PresetThisWeek  Preset = "this_week"
	PresetLastWeek  Preset = "last_week"
	PresetThisMonth Preset = "this_month"
	PresetLastMonth Preset = "last_month"
	PresetLast6m    Preset = "last_6m"
	PresetLast12m   Preset = "last_12m"
	PresetThisYear  Preset = "this_year"
	PresetLastYear  Preset = "last_year"
	PresetAllTime   Preset = "all_time"
)

// A Granularity is the length of the buckets of a series; empty means daily.
type Granularity string

// The values of [Granularity].
const (
	GranularityMinute Granularity = "minute"
	GranularityHourly Granularity = "hourly"
	GranularityDaily  Granularity = "daily"
	GranularityWeekly Granularity = "weekly"
)

// A WeekStart is the first day of weeks; empty means sunday.
type WeekStart string

// The values of [WeekStart].
const (
	WeekStartSunday WeekStart = "sunday"
	WeekStartMonday WeekStart = "monday"
)

// An Op is the operator of a filter.
type Op string

// The values of [Op].
const (
	OpContains      Op = "contains"
	OpEndsWith      Op = "ends_with"
	OpEq            Op = "eq"
	OpExists        Op = "exists"
	OpGt            Op = "gt"
	OpGte           Op = "gte"
	OpIn            Op = "in"
	OpLt            Op = "lt"
	OpLte           Op = "lte"
	OpMatches       Op = "matches"
	OpNe            Op = "ne"
	OpNotContains   Op = "not_contains"
	OpNotEndsWith   Op = "not_ends_with"
	OpNotExists     Op = "not_exists"
	OpNotIn         Op = "not_in"
	OpNotMatches    Op = "not_matches"
	OpNotStartsWith Op = "not_starts_with"
	OpStartsWith    Op = "starts_with"
)

// A Field is what filters, groupBy and dimensions name; see also [Property]. docs/query-types.md says which fields a type has.
type Field string

// The values of [Field].
const (
	FieldAnonymousID      Field = "anonymous_id"
	FieldBotName          Field = "bot_name"
	FieldBrowserName      Field = "browser_name"
	FieldBrowserVersion   Field = "browser_version"
	FieldCity             Field = "city"
	FieldCountry          Field = "country"
	FieldDate             Field = "date"
	FieldDeviceType       Field = "device_type"
	FieldEntryPage        Field = "entry_page"
	FieldErrorType        Field = "error_type"
	FieldEventName        Field = "event_name"
	FieldExitPage         Field = "exit_page"
	FieldGCLID            Field = "gclid"
	FieldHref             Field = "href"
	FieldLanguage         Field = "language"
	FieldMessage          Field = "message"
	FieldMetricName       Field = "metric_name"
	FieldNamespace        Field = "namespace"
	FieldOSName           Field = "os_name"
	FieldOSVersion        Field = "os_version"
	FieldPath             Field = "path"
	FieldProbeRegion      Field = "probe_region"
	FieldProfileID        Field = "profile_id"
	FieldReason           Field = "reason"
	FieldReferrer         Field = "referrer"
	FieldRegion           Field = "region"
	FieldScreenResolution Field = "screen_resolution"
	FieldSessionID        Field = "session_id"
	FieldText             Field = "text"
	FieldTimezone         Field = "timezone"
	FieldUTMCampaign      Field = "utm_campaign"
	FieldUTMContent       Field = "utm_content"
	FieldUTMMedium        Field = "utm_medium"
	FieldUTMSource        Field = "utm_source"
	FieldUTMTerm          Field = "utm_term"
	FieldWebsite          Field = "website"
)

// A Column is one of an answer, to sort by or to choose as a metric.
type Column string

// The values of [Column].
const (
	ColumnActiveSessions        Column = "active_sessions"
	ColumnActiveUsers           Column = "active_users"
	ColumnAvgDOMReadyTime       Column = "avg_dom_ready_time"
	ColumnAvgInteractions       Column = "avg_interactions"
	ColumnAvgLoadTime           Column = "avg_load_time"
	ColumnAvgResponseTime       Column = "avg_response_time"
	ColumnAvgScrollDepth        Column = "avg_scroll_depth"
	ColumnAvgSessionDuration    Column = "avg_session_duration"
	ColumnAvgTimeOnPage         Column = "avg_time_on_page"
	ColumnAvgTTFB               Column = "avg_ttfb"
	ColumnAvgValue              Column = "avg_value"
	ColumnBotName               Column = "bot_name"
	ColumnBounceRate            Column = "bounce_rate"
	ColumnBounced               Column = "bounced"
	ColumnBrowserName           Column = "browser_name"
	ColumnBrowserVersions       Column = "browser_versions"
	ColumnCity                  Column = "city"
	ColumnClicks                Column = "clicks"
	ColumnCohortSize            Column = "cohort_size"
	ColumnConversionHigh        Column = "conversion_high"
	ColumnConversionLow         Column = "conversion_low"
	ColumnConversionRate        Column = "conversion_rate"
	ColumnConversions           Column = "conversions"
	ColumnConverted             Column = "converted"
	ColumnCount                 Column = "count"
	ColumnCountry               Column = "country"
	ColumnCountryCode           Column = "country_code"
	ColumnCountryName           Column = "country_name"
	ColumnCustomEventCount      Column = "custom_event_count"
	ColumnDate                  Column = "date"
	ColumnDeadClicks            Column = "dead_clicks"
	ColumnDepthRange            Column = "depth_range"
	ColumnDeviceType            Column = "device_type"
	ColumnDisplayName           Column = "display_name"
	ColumnDomain                Column = "domain"
	ColumnDowntimeSeconds       Column = "downtime_seconds"
	ColumnDropoff               Column = "dropoff"
	ColumnDuration              Column = "duration"
	ColumnDurationRange         Column = "duration_range"
	ColumnEntryPage             Column = "entry_page"
	ColumnError                 Column = "error"
	ColumnErrorType             Column = "error_type"
	ColumnErrors                Column = "errors"
	ColumnEventID               Column = "event_id"
	ColumnEvents                Column = "events"
	ColumnEventsWithProperties  Column = "events_with_properties"
	ColumnExitPage              Column = "exit_page"
	ColumnExposures             Column = "exposures"
	ColumnFirstOccurrence       Column = "first_occurrence"
	ColumnFirstSeen             Column = "first_seen"
	ColumnFirstVisit            Column = "first_visit"
	ColumnFlag                  Column = "flag"
	ColumnFromPath              Column = "from_path"
	ColumnHourOfDay             Column = "hour_of_day"
	ColumnHref                  Column = "href"
	ColumnHTTPCode              Column = "http_code"
	ColumnInteractionRate       Column = "interaction_rate"
	ColumnInvalidSSLChecks      Column = "invalid_ssl_checks"
	ColumnKind                  Column = "kind"
	ColumnLanguage              Column = "language"
	ColumnLastClicked           Column = "last_clicked"
	ColumnLastOccurrence        Column = "last_occurrence"
	ColumnLastSeen              Column = "last_seen"
	ColumnLastVisit             Column = "last_visit"
	ColumnMaxResponseTime       Column = "max_response_time"
	ColumnMedianSeconds         Column = "median_seconds"
	ColumnMedianSessionDuration Column = "median_session_duration"
	ColumnMedianTimeOnPage      Column = "median_time_on_page"
	ColumnMessage               Column = "message"
	ColumnMetricName            Column = "metric_name"
	ColumnMinResponseTime       Column = "min_response_time"
	ColumnName                  Column = "name"
	ColumnOSName                Column = "os_name"
	ColumnP50                   Column = "p50"
	ColumnP50ResponseTime       Column = "p50_response_time"
	ColumnP50TTFB               Column = "p50_ttfb"
	ColumnP75                   Column = "p75"
	ColumnP75CLS                Column = "p75_cls"
	ColumnP75FCP                Column = "p75_fcp"
	ColumnP75INP                Column = "p75_inp"
	ColumnP75LCP                Column = "p75_lcp"
	ColumnP75ResponseTime       Column = "p75_response_time"
	ColumnP75TTFB               Column = "p75_ttfb"
	ColumnP90                   Column = "p90"
	ColumnP90ResponseTime       Column = "p90_response_time"
	ColumnP90TTFB               Column = "p90_ttfb"
	ColumnP95                   Column = "p95"
	ColumnP95ResponseTime       Column = "p95_response_time"
	ColumnP95TTFB               Column = "p95_ttfb"
	ColumnP99                   Column = "p99"
	ColumnP99ResponseTime       Column = "p99_response_time"
	ColumnP99TTFB               Column = "p99_ttfb"
	ColumnPageViews             Column = "page_views"
	ColumnPagesPerSession       Column = "pages_per_session"
	ColumnPageviews             Column = "pageviews"
	ColumnPath                  Column = "path"
	ColumnPercentage            Column = "percentage"
	ColumnPeriod                Column = "period"
	ColumnProbeRegion           Column = "probe_region"
	ColumnProfileID             Column = "profile_id"
	ColumnProperties            Column = "properties"
	ColumnPropertyKey           Column = "property_key"
	ColumnPropertyValue         Column = "property_value"
	ColumnRageClicks            Column = "rage_clicks"
	ColumnReason                Column = "reason"
	ColumnReferrer              Column = "referrer"
	ColumnReferrerName          Column = "referrer_name"
	ColumnReferrerType          Column = "referrer_type"
	ColumnRegion                Column = "region"
	ColumnRequests              Column = "requests"
	ColumnSamples               Column = "samples"
	ColumnSessionCount          Column = "session_count"
	ColumnSessionID             Column = "session_id"
	ColumnSessionIDs            Column = "session_ids"
	ColumnSessions              Column = "sessions"
	ColumnSessionsWithTime      Column = "sessions_with_time"
	ColumnSource                Column = "source"
	ColumnSSLExpiry             Column = "ssl_expiry"
	ColumnSSLValid              Column = "ssl_valid"
	ColumnStatus                Column = "status"
	ColumnStatuses              Column = "statuses"
	ColumnStep                  Column = "step"
	ColumnStepRate              Column = "step_rate"
	ColumnSuccessfulChecks      Column = "successful_checks"
	ColumnText                  Column = "text"
	ColumnTimestamp             Column = "timestamp"
	ColumnToPath                Column = "to_path"
	ColumnTotal                 Column = "total"
	ColumnTotalChecks           Column = "total_checks"
	ColumnTotalClicks           Column = "total_clicks"
	ColumnTotalEvents           Column = "total_events"
	ColumnTotalMs               Column = "total_ms"
	ColumnTotalSessions         Column = "total_sessions"
	ColumnTransitions           Column = "transitions"
	ColumnTTFBMs                Column = "ttfb_ms"
	ColumnUniqueLinks           Column = "unique_links"
	ColumnUniqueMessages        Column = "unique_messages"
	ColumnUniquePages           Column = "unique_pages"
	ColumnUniqueSessions        Column = "unique_sessions"
	ColumnUniqueUsers           Column = "unique_users"
	ColumnUniqueVisitors        Column = "unique_visitors"
	ColumnUptimePercentage      Column = "uptime_percentage"
	ColumnURL                   Column = "url"
	ColumnUsers                 Column = "users"
	ColumnValue                 Column = "value"
	ColumnVariant               Column = "variant"
	ColumnVersion               Column = "version"
	ColumnVersions              Column = "versions"
	ColumnVisitorID             Column = "visitor_id"
	ColumnVisitors              Column = "visitors"
	ColumnWeekday               Column = "weekday"
)

// A Dataset has the metrics and dimensions that a question can choose.
type Dataset string

// The values of [Dataset].
const (
	DatasetBlocked    Dataset = "blocked"
	DatasetChecks     Dataset = "checks"
	DatasetClicks     Dataset = "clicks"
	DatasetEntries    Dataset = "entries"
	DatasetErrors     Dataset = "errors"
	DatasetEvents     Dataset = "events"
	DatasetExits      Dataset = "exits"
	DatasetLinkVisits Dataset = "link_visits"
	DatasetPageviews  Dataset = "pageviews"
	DatasetSessions   Dataset = "sessions"
	DatasetVitals     Dataset = "vitals"
)

// A Scope says what a key may do.
type Scope string

// The values of [Scope].
const (
	ScopeReadData          Scope = "read:data"
	ScopeManageFlags       Scope = "manage:flags"
	ScopeTrackEvents       Scope = "track:events"
	ScopeReadLinks         Scope = "read:links"
	ScopeReadMonitors      Scope = "read:monitors"
	ScopeExportData        Scope = "export:data"
	ScopeEraseData         Scope = "erase:data"
	ScopeManageKeys        Scope = "manage:keys"
	ScopeReadAudit         Scope = "read:audit"
	ScopeManageDefinitions Scope = "manage:definitions"
	ScopeManageWebsites    Scope = "manage:websites"
)

// A DefinitionKind is the kind of a saved definition.
type DefinitionKind string

// The values of [DefinitionKind].
const (
	DefinitionKindGoal       DefinitionKind = "goal"
	DefinitionKindFunnel     DefinitionKind = "funnel"
	DefinitionKindSegment    DefinitionKind = "segment"
	DefinitionKindAnnotation DefinitionKind = "annotation"
)

// A FlagType is the type of a feature flag.
type FlagType string

// The values of [FlagType].
const (
	FlagTypeBoolean      FlagType = "boolean"
	FlagTypeRollout      FlagType = "rollout"
	FlagTypeMultivariant FlagType = "multivariant"
)

// A FlagStatus says whether a feature flag is used.
type FlagStatus string

// The values of [FlagStatus].
const (
	FlagStatusActive   FlagStatus = "active"
	FlagStatusInactive FlagStatus = "inactive"
	FlagStatusArchived FlagStatus = "archived"
)

// A FlagReason says why a flag has its value.
type FlagReason string

// The values of [FlagReason].
const (
	FlagReasonUserRuleMatch          FlagReason = "USER_RULE_MATCH"
	FlagReasonTargetGroupMatch       FlagReason = "TARGET_GROUP_MATCH"
	FlagReasonMultivariantEvaluated  FlagReason = "MULTIVARIANT_EVALUATED"
	FlagReasonRolloutEnabled         FlagReason = "ROLLOUT_ENABLED"
	FlagReasonRolloutDisabled        FlagReason = "ROLLOUT_DISABLED"
	FlagReasonBooleanDefault         FlagReason = "BOOLEAN_DEFAULT"
	FlagReasonDependencyNotSatisfied FlagReason = "DEPENDENCY_NOT_SATISFIED"
	FlagReasonFlagNotFound           FlagReason = "FLAG_NOT_FOUND"
)

// A Code says why a request failed. docs/errors.md explains each.
type Code string

// The values of [Code].
const (
	CodeAnswerTooLarge            Code = "ANSWER_TOO_LARGE"
	CodeAuthRequired              Code = "AUTH_REQUIRED"
	CodeBillingCheckUnavailable   Code = "BILLING_CHECK_UNAVAILABLE"
	CodeBillingLimitExceeded      Code = "BILLING_LIMIT_EXCEEDED"
	CodeConflict                  Code = "CONFLICT"
	CodeDeliveryUnavailable       Code = "DELIVERY_UNAVAILABLE"
	CodeEmptyList                 Code = "EMPTY_LIST"
	CodeEventTooOld               Code = "EVENT_TOO_OLD"
	CodeForbidden                 Code = "FORBIDDEN"
	CodeIdentifyMissingWebsiteID  Code = "IDENTIFY_MISSING_WEBSITE_ID"
	CodeIngestBatchNotArray       Code = "INGEST_BATCH_NOT_ARRAY"
	CodeIngestBatchTooLarge       Code = "INGEST_BATCH_TOO_LARGE"
	CodeIngestErrorsBodyTooLarge  Code = "INGEST_ERRORS_BODY_TOO_LARGE"
	CodeIngestInvalidClientID     Code = "INGEST_INVALID_CLIENT_ID"
	CodeIngestIPNotAuthorized     Code = "INGEST_IP_NOT_AUTHORIZED"
	CodeIngestMissingClientID     Code = "INGEST_MISSING_CLIENT_ID"
	CodeIngestOriginNotAuthorized Code = "INGEST_ORIGIN_NOT_AUTHORIZED"
	CodeIngestPayloadTooLarge     Code = "INGEST_PAYLOAD_TOO_LARGE"
	CodeIngestUnknownEventType    Code = "INGEST_UNKNOWN_EVENT_TYPE"
	CodeInternalServerError       Code = "INTERNAL_SERVER_ERROR"
	CodeInvalidDateRange          Code = "INVALID_DATE_RANGE"
	CodeInvalidEventSchema        Code = "INVALID_EVENT_SCHEMA"
	CodeInvalidFilter             Code = "INVALID_FILTER"
	CodeInvalidGroupBy            Code = "INVALID_GROUP_BY"
	CodeInvalidJSON               Code = "INVALID_JSON"
	CodeInvalidSort               Code = "INVALID_SORT"
	CodeMethodNotAllowed          Code = "METHOD_NOT_ALLOWED"
	CodeMissingProjectID          Code = "MISSING_PROJECT_ID"
	CodeNotAcceptable             Code = "NOT_ACCEPTABLE"
	CodeNotFound                  Code = "NOT_FOUND"
	CodePayloadTooLarge           Code = "PAYLOAD_TOO_LARGE"
	CodePreconditionFailed        Code = "PRECONDITION_FAILED"
	CodeProfileLimitExceeded      Code = "PROFILE_LIMIT_EXCEEDED"
	CodeRateLimited               Code = "RATE_LIMITED"
	CodeRequestTimeout            Code = "REQUEST_TIMEOUT"
	CodeServiceUnavailable        Code = "SERVICE_UNAVAILABLE"
	CodeStorageFull               Code = "STORAGE_FULL"
	CodeTimeout                   Code = "TIMEOUT"
	CodeTooManyRows               Code = "TOO_MANY_ROWS"
	CodeTrackInvalidBody          Code = "TRACK_INVALID_BODY"
	CodeTrackKeyRequired          Code = "TRACK_KEY_REQUIRED"
	CodeTrackMissingCredentials   Code = "TRACK_MISSING_CREDENTIALS"
	CodeTrackMissingScope         Code = "TRACK_MISSING_SCOPE"
	CodeTrackMissingWebsiteID     Code = "TRACK_MISSING_WEBSITE_ID"
	CodeTrackPayloadTooLarge      Code = "TRACK_PAYLOAD_TOO_LARGE"
	CodeTrackRateLimited          Code = "TRACK_RATE_LIMITED"
	CodeTrackWebsiteNotFound      Code = "TRACK_WEBSITE_NOT_FOUND"
	CodeTrackWebsiteScopeMismatch Code = "TRACK_WEBSITE_SCOPE_MISMATCH"
	CodeUnknownType               Code = "UNKNOWN_TYPE"
	CodeUnsupportedMediaType      Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeValidationError           Code = "VALIDATION_ERROR"
	CodeWebsiteLookupUnavailable  Code = "WEBSITE_LOOKUP_UNAVAILABLE"
	CodeWebsitePaused             Code = "WEBSITE_PAUSED"
	CodeWrongSubject              Code = "WRONG_SUBJECT"
)
