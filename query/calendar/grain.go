package calendar

// Grain is the length of the buckets of a series: a day or an hour. The zero Grain is Daily.
type Grain uint8

// The grains.
const (
	Daily Grain = iota
	Hourly
)

// ParseGrain reads the name of a grain or its alias: daily, day, hourly, hour.
func ParseGrain(s string) (Grain, bool) {
	switch s {
	case "daily", "day":
		return Daily, true
	case "hourly", "hour":
		return Hourly, true
	}
	return Daily, false
}

// GrainNames lists what ParseGrain reads, the usual names first.
func GrainNames() []string { return []string{"daily", "hourly", "day", "hour"} }

// Width is the length of a bucket on the clock, in milliseconds. Real time may differ
// where clocks change.
func (g Grain) Width() int64 {
	if g == Hourly {
		return Hour
	}
	return Day
}

// String is daily or hourly.
func (g Grain) String() string {
	if g == Hourly {
		return "hourly"
	}
	return "daily"
}
