package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
)

// Profiles stores the profiles of exports. A meta.Store is Profiles.
type Profiles interface {
	// RestoreProfiles stores profiles, all or none of them, and returns the number of those that it refused because
	// the website or the profile would exceed a limit. A profile that changed later stays as it is.
	RestoreProfiles(ctx context.Context, all []store.Profile) (refused int, err error)
}

// takeProfile stores the profile of the current piece, and counts it.
func (s *stream) takeProfile() error {
	p := *s.found.profile
	p.Website = s.cfg.Website.ID
	at := s.piece
	if s.cfg.Profiles == nil {
		s.count(at, 0, &skipError{NotStored, "Config.Profiles is not set"})
		return nil
	}
	if why := unfit(&p); why != "" {
		s.count(at, 0, &skipError{NotStored, why})
		return nil
	}
	if s.maker.erased.has(visitorid.ErasedProfile, p.ID) {
		s.count(at, 0, skip(Erased))
		return nil
	}
	s.count(at, 1, nil)
	if at.start < s.before.Done {
		s.tell(s, true)
		return nil
	}
	err := s.sink.addProfile(p, s.place, mark{end: at.end, sum: s.digest}) // storing it again changes nothing
	s.tell(s, false)
	return err
}

// unfit says why a store cannot hold a profile; empty if it can. The store itself checks the size of the traits.
func unfit(p *store.Profile) string {
	if intake.Units(p.ID) > intake.MaxID || strings.ContainsRune(p.ID, 0) {
		return fmt.Sprintf("profile_id is longer than %d characters or has a NUL", intake.MaxID)
	}
	for name, value := range p.Traits {
		if text, _ := value.(string); strings.ContainsRune(name+text, 0) {
			return "traits has a NUL"
		}
	}
	return ""
}

// addProfile adds a profile.
func (s *sink) addProfile(p store.Profile, of *place, at mark) error {
	s.people = append(s.people, p)
	s.marks[of] = at
	if len(s.people) < min(s.size, maxProfiles) {
		return nil
	}
	return s.flush()
}

// maxProfiles is the number of profiles in one transaction.
const maxProfiles = 500

// storeProfiles stores profiles, and counts them.
func (s *sink) storeProfiles(all []store.Profile) error {
	if len(all) == 0 {
		return nil
	}
	refused, err := s.profiles.RestoreProfiles(s.ctx, all)
	if err != nil {
		return fmt.Errorf("importer: storing %d profiles: %w", len(all), err)
	}
	s.restored += int64(len(all) - refused)
	s.refused += int64(refused)
	return nil
}
