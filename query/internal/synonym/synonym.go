// Package synonym has the words that people write in a request in place of its names. The error about such a word
// suggests the name.
package synonym

import "github.com/sightline-analytics/sightline/internal/mistake"

// OfNames returns words that people use in place of the names of a request: fields, operators, presets and
// granularities, and dimensions of filters. The rows of query types have the words for types. Callers must not change
// the map.
func OfNames() mistake.Synonyms { return ofNames }

var ofNames = mistake.Synonyms{
	// Fields of a request, a parameter or a filter.
	"breakdown":  {"groupBy"},
	"column":     {"field", "sortBy"},
	"comparison": {"op", "compare"},
	"condition":  {"op"},
	"daterange":  {"preset"},
	"dimension":  {"field", "groupBy"},
	"dimensions": {"groupBy"},
	"direction":  {"sortOrder"},
	"end":        {"endDate", "end_date"},
	"filterby":   {"filters"},
	"from":       {"startDate", "start_date"},
	"interval":   {"granularity"},
	"key":        {"field"},
	"metrics":    {"parameters"},
	"operation":  {"op"},
	"operator":   {"op"},
	"order":      {"sortOrder"},
	"orderby":    {"sortBy"},
	"period":     {"preset"},
	"property":   {"field"},
	"queries":    {"parameters"},
	"query":      {"parameters"},
	"range":      {"preset"},
	"since":      {"startDate", "start_date"},
	"sort":       {"sortBy"},
	"start":      {"startDate", "start_date"},
	"to":         {"endDate", "end_date"},
	"type":       {"parameters", "name"},
	"types":      {"parameters"},
	"tz":         {"timeZone"},
	"until":      {"endDate", "end_date"},
	"where":      {"filters"},
	// Operators.
	"!=":            {"ne"},
	"=":             {"eq"},
	"==":            {"eq"},
	"===":           {"eq"},
	"beginswith":    {"starts_with"},
	"equal":         {"eq"},
	"equals":        {"eq"},
	"exclude":       {"not_in"},
	"excludes":      {"not_contains"},
	"includes":      {"contains"},
	"is":            {"eq"},
	"isnot":         {"ne"},
	"like":          {"contains"},
	"neq":           {"ne"},
	"notequal":      {"ne"},
	"notequals":     {"ne"},
	"notlike":       {"not_contains"},
	"oneof":         {"in"},
	"prefix":        {"starts_with"},
	"doesnotequal":  {"ne"},
	"doesntcontain": {"not_contains"},
	// Presets, and granularities.
	"lastmonth": {"last_month"},
	"lastyear":  {"previous_year"},
	"month":     {"this_month"},
	"week":      {"this_week"},
	"year":      {"this_year"},
	"days":      {"daily"},
	"hours":     {"hourly"},
	"minutes":   {"minute"},
	"minutely":  {"minute"},
	// Fields that filters and groupBy name.
	"browser":         {"browser_name"},
	"city":            {"city"},
	"device":          {"device_type"},
	"os":              {"os_name"},
	"operatingsystem": {"os_name"},
	"page":            {"path"},
	"pathname":        {"path"},
	"referer":         {"referrer"},
	"source":          {"referrer", "utm_source"},
	"url":             {"path"},
}
