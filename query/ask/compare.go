package ask

// Compare is the other period that an answer is compared with. Types that ignore the range, and lists of
// single rows, are not compared: see Info.Comparable.
type Compare string

// The comparisons. A period that has not ended is cut at now, and compared with the same elapsed
// local time of the other.
const (
	// PreviousPeriod is the same number of local days just before; for a preset of a calendar month or
	// year, the month or year before.
	PreviousPeriod Compare = "previous_period"
	// PreviousYear is the same local dates a year earlier; for 29 February, the 28th.
	PreviousYear Compare = "previous_year"
	// NoComparison compares with nothing: for a parameter whose request asks for a comparison.
	NoComparison Compare = "none"
)

// Any reports whether c asks for another period: it is neither empty nor NoComparison.
func (c Compare) Any() bool { return c != "" && c != NoComparison }

func compareNames() []string {
	return []string{string(PreviousPeriod), string(PreviousYear), string(NoComparison)}
}
