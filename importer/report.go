package importer

import "fmt"

// A Reason says why a record was skipped.
type Reason string

// The reasons, in the order of reports.
const (
	Malformed Reason = "malformed"  // not a record of the format
	TooLong   Reason = "too_long"   // longer than MaxRecord
	NotStored Reason = "not_stored" // a store cannot hold it
	Method    Reason = "method"     // not a GET request
	Status    Reason = "status"     // a redirect or an error
	Asset     Reason = "asset"      // not a page
	OtherHost Reason = "other_host" // not a page of the website
	Bot       Reason = "bot"        // a robot or program
	NoAgent   Reason = "no_agent"   // without a user agent
	NoAddress Reason = "no_address" // a line of an access log without the address of the client
	// a request that no visitor made, such as one of a worker or a health check of a CDN
	NoVisitor  Reason = "no_visitor"
	BadTime    Reason = "time"         // before the year 2000 or in the future
	OtherKind  Reason = "other_kind"   // not an event that can be imported, such as a site search
	Erased     Reason = "erased"       // of a person who was erased
	TooMany    Reason = "too_many"     // a profile beyond a limit of profiles or traits
	OtherTable Reason = "unknown_link" // a row of a link or monitor that does not exist
)

// reasons lists all reasons and their meanings.
var reasons = []struct {
	Reason

	meaning string
	lost    bool // the record may be an event that is now missing
}{
	{Malformed, "could not be read", true},
	{TooLong, fmt.Sprintf("longer than %d bytes", MaxRecord), true},
	{NotStored, "have a value that cannot be stored", true},
	{Method, "not GET requests", false},
	{Status, "redirects and errors", false},
	{Asset, "not pages: images, scripts, styles and other files", false},
	{OtherHost, "pages of another host than the website's domain", false},
	{Bot, "robots and programs", false},
	{NoAgent, "without a user agent", false},
	{NoAddress, "without the address of the client", true},
	{NoVisitor, "requests of the CDN itself, such as those of its workers", false},
	{BadTime, "before the year 2000 or in the future", true},
	{OtherKind, "events of a kind that is not imported", false},
	{Erased, "of persons who were erased", false},
	{TooMany, "profiles beyond the limits of profiles and traits", true},
	{OtherTable, "rows of links and monitors that do not exist here", true},
}

// String returns the meaning of the reason, for people.
func (r Reason) String() string {
	for _, one := range reasons {
		if one.Reason == r {
			return one.meaning
		}
	}
	return string(r)
}

// A Report says what an import took and what it skipped.
type Report struct {
	// Import is the id of the import, see store.Import. It is empty with Config.DryRun.
	Import  string         `json:"import,omitempty"`
	Sources []SourceReport `json:"sources"`
	// Records is the number of records that were read, such as lines, without empty lines, comments and headers. After
	// an interrupted import it includes those of the calls before.
	Records int64 `json:"records"`
	Taken   int64 `json:"taken"`  // records that became rows or profiles
	Rows    int64 `json:"rows"`   // rows that they became
	Stored  int64 `json:"stored"` // rows that this call stored
	// Repeated is the number of rows that this call did not store because the store has them, or had received their
	// ids.
	Repeated int64  `json:"repeated"`
	Profiles int64  `json:"profiles"` // profiles of exports that this call stored, or that were stored as they are
	Skipped  []Skip `json:"skipped"`  // by reason, without those that did not occur
	// Plan says what the import would store; nil unless Config.DryRun.
	Plan *Plan `json:"plan,omitempty"`
}

// A SourceReport is the result of one source.
type SourceReport struct {
	Name    string `json:"name"`
	Format  string `json:"format"` // empty if it was not recognised
	Records int64  `json:"records"`
	Taken   int64  `json:"taken"`
	// Known is true if the source was imported to this end before, so that nothing was left to do.
	Known bool `json:"known"`
	// Problem says why the source could not be read, or not to its end. Empty means no problem.
	Problem string `json:"problem,omitempty"`
}

// A Skip has the skipped records with one reason.
type Skip struct {
	Reason Reason    `json:"reason"`
	Count  int64     `json:"count"`
	First  []Example `json:"first"` // the first ones
}

// An Example is a skipped record.
type Example struct {
	Source string `json:"source"`
	// of the record in its source, from 1; for files of lines the number of the line
	Number int64  `json:"number"`
	Text   string `json:"text"`             // its beginning
	Detail string `json:"detail,omitempty"` // what is wrong, if more is known than the reason
}

// Complete reports whether every source was read to its end, and no record was skipped that may be an event.
func (r *Report) Complete() bool {
	for _, s := range r.Sources {
		if s.Problem != "" {
			return false
		}
	}
	for _, s := range r.Skipped {
		for _, known := range reasons {
			if known.Reason == s.Reason && known.lost {
				return false
			}
		}
	}
	return true
}

const (
	maxExamples = 3
	maxExample  = 160 // bytes
)

// A tally collects a Report.
type tally struct {
	report Report
	skips  map[Reason]*Skip
}

// skip counts a skipped record.
func (t *tally) skip(reason Reason, at Example) {
	s := t.skips[reason]
	if s == nil {
		s = &Skip{Reason: reason}
		t.skips[reason] = s
	}
	if s.Count++; len(s.First) < maxExamples {
		s.First = append(s.First, at)
	}
}

// finish returns the report.
func (t *tally) finish() Report {
	for _, one := range reasons {
		if s := t.skips[one.Reason]; s != nil {
			t.report.Skipped = append(t.report.Skipped, *s)
		}
	}
	return t.report
}
