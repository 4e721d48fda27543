package query

import (
	"net/url"

	"github.com/sightline-analytics/sightline/query/ask"
)

// Decode is the function [Decode] with a cache of time zones, since loading one reads a file.
func (e *Engine) Decode(body []byte, maxBatch int) ([]Decoded, bool, error) {
	return ask.DecodeWith(body, maxBatch, e.zones)
}

// ParseValues is the function [ParseValues], with the same cache of time zones as Decode.
func (e *Engine) ParseValues(values url.Values) (Request, Errors) {
	return ask.ParseValuesWith(values, e.zones)
}

// CheckZone returns what is wrong with the name of a time zone that was given in field, or nil. An
// empty name is valid.
func (e *Engine) CheckZone(field, name string) Errors {
	var list ask.Issues
	e.zones.Check(ask.InField(field), name, &list)
	return list.Sorted()
}
