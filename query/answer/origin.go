package answer

// An answer to a parameter comes from the first of three sources that can give it. A source that cannot returns a
// Reason.

// A Source gives answers.
type Source string

// The sources, in the order in which they are tried.
const (
	// the engine gave this answer before, or gives it to another caller at the same time
	Remembered Source = "remembered"
	Merged     Source = "merged"    // the answer is merged from states of days
	Statement  Source = "statement" // a statement reads the rows, or the sealed rows of quiet days
)

// A Reason says why a source did not give an answer.
type Reason string

// The reasons. The comments name the sources that return them.
const (
	// Off: the source is switched off, or the store does not support it. Remembered and Merged.
	Off Reason = "off"
	// NotRememberable: the answer changes with the clock or with the names of profiles, or the store could not report
	// the versions of its days. Remembered.
	NotRememberable Reason = "not_rememberable"
	// NotMergeable: the answer is a list, is not about a website, or uses an aggregate without states. Merged.
	NotMergeable Reason = "not_mergeable"
	// FirstAsked: the question is new. Remembered and Merged. Merged computes states when a question is asked for the
	// second time.
	FirstAsked Reason = "first_asked"
	// DaysChanged: rows were added or deleted since the question was asked before; for Merged, on a quarter of the days
	// or more.
	DaysChanged Reason = "days_changed"
	// NoRoom: there is too little memory for the answer (Remembered) or for its states (Merged).
	NoRoom Reason = "no_room"
	// TooLarge: the states of one aggregate have too many rows or keys. Merged.
	TooLarge Reason = "too_large"
	// NotStored: the states of a quarter of the days or more are neither in memory nor in the store. They are computed
	// in the background. Merged.
	NotStored Reason = "not_stored"
)

// An Origin is the source of an answer.
type Origin struct {
	Source Source
	Why    Reason // why the source before it did not give the answer; empty for Remembered
}
