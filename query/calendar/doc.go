// Package calendar turns dates, presets and time zones into instants and buckets.
// It is pure: the clock and the zone are arguments.
package calendar
