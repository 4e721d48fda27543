// Package calendar turns dates, presets and time zones into instants and buckets.
// It is pure: the clock and the zone are arguments.
//
// A local day begins at the first instant at which the zone shows its date and ends
// at the first instant of the next day. So days have 23 or 25 hours where clocks
// change, begin at 01:00 where midnight is skipped, and have no instant at all where
// the zone jumped over a date. Weeks begin on Sunday. A range may also begin and
// end at a time. Minutes are real minutes, which clocks neither skip nor repeat.
package calendar
