package erasure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// ErrUnable: the store of events cannot do what was asked of it.
var ErrUnable = failure.New(failure.Internal, "erasure: the store of events cannot do this")

// A Kind is the kind of an id.
type Kind string

// The kinds of id.
const (
	Visitor Kind = "visitor" // the anonymous id of a browser, or its stored hash
	Profile Kind = "profile" // the profile id that a sender gives a person whom it knows
)

// A Person is named by one id of a website.
type Person struct {
	Website string
	Kind    Kind
	ID      string
}

// Profiles stores traits of persons. A meta.Store is Profiles.
type Profiles interface {
	// Profile returns one profile. Its error wraps store.ErrNotFound.
	Profile(ctx context.Context, website, id string) (store.Profile, error)
	// RemoveProfile deletes a profile. Its error wraps store.ErrNotFound.
	RemoveProfile(ctx context.Context, website, id string) error
	// RemoveProfiles deletes all profiles of a website, and returns their number.
	RemoveProfiles(ctx context.Context, website string) (int64, error)
}

// Salts provides the salts of ids of visitors, as track.Salts does.
type Salts interface {
	Salt(ctx context.Context, day time.Time) ([]byte, error)
}

// Config configures New.
type Config struct {
	Events store.Store // required
	// Persons erases persons from Events. Nil means Events itself. Set it to a query.Engine over Events if rows expire,
	// because the totals of removed days have hashes of visitors, which only the engine can replace.
	Persons  store.PersonEraser
	Profiles Profiles // nil: there are none
	Salts    Salts    // nil: ids of visitors are not looked for as their hashes of a day
	// Pepper finds visitors of imports by the ids that other programs gave them, see importer.Config. The zero Pepper
	// does not.
	Pepper auth.Pepper
	// Erased remembers who was erased, so that imports leave these persons out. Nil, and the zero Pepper, mean that
	// nobody is remembered. Persons who are erased with a whole website are not.
	Erased store.Erasures
	Now    func() time.Time
}

// An Eraser erases and shows persons. It is safe for concurrent use.
type Eraser struct{ cfg Config }

// New returns an Eraser.
func New(cfg Config) (*Eraser, error) {
	if cfg.Events == nil {
		return nil, errors.New("erasure: Config.Events is required")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Eraser{cfg}, nil
}

// A Report says what was erased.
type Report struct {
	Website string `json:"website_id"`
	Kind    Kind   `json:"kind,omitempty"` // empty for a whole website
	ID      string `json:"id,omitempty"`
	// rows by table, and profiles; totals has the number of removed days whose totals had the person
	Removed map[string]int64 `json:"removed"`
	// Linked are the ids of the other kind in the removed rows: the profiles of a visitor, and the visitors of a
	// profile. Rows that have only such an id are still stored. There are at most 100.
	Linked []string `json:"linked,omitempty"`
	Notice string   `json:"notice,omitempty"` // what could not be looked for
}

// maxLinked is the maximum number of linked ids in a report.
const maxLinked = 100

// Erase deletes the rows and the profile of p. A person without any is no error. After an error a part may be deleted;
// call Erase again.
func (e *Eraser) Erase(ctx context.Context, p Person) (*Report, error) {
	eraser, ok := e.cfg.Events.(store.PersonEraser)
	if !ok {
		return nil, fmt.Errorf("%w: it is not a store.PersonEraser", ErrUnable)
	}
	if e.cfg.Persons != nil {
		eraser = e.cfg.Persons
	}
	of, notice, err := e.find(ctx, p)
	if err != nil {
		return nil, err
	}
	report := &Report{Website: p.Website, Kind: p.Kind, ID: p.ID, Notice: notice}
	if report.Linked, err = e.linked(ctx, p, of); err != nil {
		return nil, err
	}
	if err := e.note(ctx, p, of); err != nil { // first, so that no failure brings the person back
		return nil, err
	}
	if report.Removed, err = eraser.ErasePerson(ctx, of); err != nil {
		return nil, err
	}
	report.Removed[rowjson.Profiles] = 0
	if e.cfg.Profiles != nil && p.Kind == Profile {
		switch err := e.cfg.Profiles.RemoveProfile(ctx, p.Website, p.ID); {
		case err == nil:
			report.Removed[rowjson.Profiles] = 1
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return report, nil
}

// note remembers that a person is erased.
func (e *Eraser) note(ctx context.Context, p Person, of store.Person) error {
	if e.cfg.Erased == nil || e.cfg.Pepper.IsZero() {
		return nil
	}
	var digests []string
	add := func(purpose string, ids []string) error {
		for _, id := range ids {
			all, err := visitorid.Digests(e.cfg.Pepper, p.Website, purpose, id)
			if err != nil {
				return err
			}
			digests = append(digests, all...)
		}
		return nil
	}
	if err := errors.Join(add(visitorid.ErasedVisitor, of.AnonymousIDs),
		add(visitorid.ErasedProfile, of.ProfileIDs)); err != nil {
		return err
	}
	if err := e.cfg.Erased.NoteErased(ctx, p.Website, digests); err != nil {
		return fmt.Errorf("erasure: remembering who was erased: %w", err)
	}
	return nil
}

// EraseWebsite deletes all rows and all profiles of a website. The website itself stays.
func (e *Eraser) EraseWebsite(ctx context.Context, website string) (*Report, error) {
	eraser, ok := e.cfg.Events.(store.Eraser)
	if !ok {
		return nil, fmt.Errorf("%w: it is not a store.Eraser", ErrUnable)
	}
	of := store.Subject{Kind: store.KindWebsite, ID: website}
	report := &Report{Website: website, Removed: map[string]int64{rowjson.Profiles: 0}}
	for _, t := range scan.Tables() {
		if t.ID.Of() != store.KindWebsite {
			continue
		}
		days, err := scan.Counts(ctx, e.cfg.Events, &t, scan.Always(of))
		if err != nil {
			return nil, err
		}
		report.Removed[t.Name] = 0
		for _, n := range days {
			report.Removed[t.Name] += n
		}
	}
	if _, err := eraser.Erase(ctx, of); err != nil {
		return nil, err
	}
	if e.cfg.Profiles != nil {
		n, err := e.cfg.Profiles.RemoveProfiles(ctx, website)
		if err != nil {
			return nil, err
		}
		report.Removed[rowjson.Profiles] = n
	}
	return report, nil
}

// Purge rewrites the files of the stores without the bytes of what was erased, as far as they are store.Purgers. The
// error wraps ErrUnable if the store of events is none.
func (e *Eraser) Purge(ctx context.Context) error {
	events, ok := e.cfg.Events.(store.Purger)
	if !ok {
		return fmt.Errorf("%w: it is not a store.Purger", ErrUnable)
	}
	if err := events.Purge(ctx); err != nil {
		return err
	}
	if records, ok := e.cfg.Profiles.(store.Purger); ok {
		return records.Purge(ctx)
	}
	return nil
}

// Show writes all that is stored of p to w: a line of JSON for each row, in the form of exports, and then one for the
// profile. It returns what Report.Notice says, and the number of lines.
func (e *Eraser) Show(ctx context.Context, p Person, w io.Writer) (notice string, lines int64, err error) {
	of, notice, err := e.find(ctx, p)
	if err != nil {
		return "", 0, err
	}
	sessions, err := e.distinct(ctx, "session_id", of)
	if err != nil {
		return "", 0, err
	}
	var line []byte
	write := func(err error) error {
		if err == nil {
			_, err = w.Write(line)
			lines++
		}
		return err
	}
	for _, t := range scan.Tables() {
		if !t.HasPersons() {
			continue
		}
		rows, err := scan.ReadPerson(ctx, e.cfg.Events, &t, of, sessions)
		if err != nil {
			return "", lines, err
		}
		b := t.Items(p.Website, rows)
		for item := range t.Len(b) {
			line = rowjson.Append(line[:0], t.ID, schema.Row{Batch: b, Item: item})
			if err := write(nil); err != nil {
				return "", lines, err
			}
		}
	}
	if e.cfg.Profiles == nil || p.Kind != Profile {
		return notice, lines, nil
	}
	profile, err := e.cfg.Profiles.Profile(ctx, p.Website, p.ID)
	if errors.Is(err, store.ErrNotFound) {
		return notice, lines, nil
	}
	if err == nil {
		line, err = rowjson.AppendProfile(line[:0], profile)
	}
	return notice, lines, write(err)
}

// hashed matches the hash of an id of a visitor.
var hashed = regexp.MustCompile(`\A[0-9a-f]{64}\z`)

// find returns the person with the ids that its rows may have.
func (e *Eraser) find(ctx context.Context, p Person) (of store.Person, notice string, err error) {
	of = store.Person{Website: p.Website}
	switch {
	case p.Website == "" || p.ID == "":
		return of, "", fmt.Errorf("%w: a person needs a website and an id", store.ErrInvalid)
	case p.Kind == Profile:
		of.ProfileIDs = []string{p.ID}
		return of, "", nil
	case p.Kind != Visitor:
		return of, "", fmt.Errorf("%w: the kind of an id must be visitor or profile, not %q", store.ErrInvalid, p.Kind)
	}
	of.AnonymousIDs = []string{p.ID}
	if hashed.MatchString(p.ID) {
		return of, "The id is a hash of one day. The same visitor has another id on every other day.", nil
	}
	imported, err := visitorid.Imported(e.cfg.Pepper, p.Website, p.ID)
	if err != nil {
		return of, "", err
	}
	of.AnonymousIDs = append(of.AnonymousIDs, imported...)
	var days []string
	for _, day := range []time.Time{e.cfg.Now().UTC().AddDate(0, 0, -1), e.cfg.Now().UTC()} {
		if e.cfg.Salts == nil {
			break
		}
		salt, err := e.cfg.Salts.Salt(ctx, day)
		if err != nil {
			return of, "", fmt.Errorf("erasure: the salt of %s: %w", day.Format(time.DateOnly), err)
		}
		of.AnonymousIDs = append(of.AnonymousIDs, visitorid.NewHasher(salt).Hash(p.Website, p.ID))
		days = append(days, day.Format(time.DateOnly))
	}
	looked := "as it is"
	if len(imported) > 0 {
		looked += ", as imports store it"
	}
	if len(days) > 0 {
		looked += ", and as its hashes of " + strings.Join(days, " and ")
	}
	return of, "The id was looked for " + looked +
		". Hashes of earlier days cannot be computed any more, because their salts are destroyed: " +
		"rows of these days are found by the id that they have, or by the id of the profile.", nil
}

// distinct returns the values of a column in the rows that have an id of a person.
func (e *Eraser) distinct(ctx context.Context, column string, of store.Person) ([]string, error) {
	all := map[string]bool{}
	for _, t := range scan.Tables() {
		if !t.HasPersons() {
			continue
		}
		found, err := scan.Of(ctx, e.cfg.Events, &t, column, of)
		if err != nil {
			return nil, err
		}
		for _, value := range found {
			all[value] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// linked returns the ids of the other kind.
func (e *Eraser) linked(ctx context.Context, p Person, of store.Person) ([]string, error) {
	column := "profile_id"
	if p.Kind == Profile {
		column = "anonymous_id"
	}
	all, err := e.distinct(ctx, column, of)
	return all[:min(len(all), maxLinked)], err
}
