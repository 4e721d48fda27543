package importer_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
)

// storedPeople stores profiles, but refuses profiles with an id that begins with "many".
type storedPeople struct {
	all  map[string]store.Profile
	left int // calls until one fails; negative means never
}

func (p *storedPeople) RestoreProfiles(_ context.Context, all []store.Profile) (refused int, err error) {
	if p.left == 0 {
		return 0, errKilled
	}
	p.left--
	for _, one := range all {
		if strings.HasPrefix(one.ID, "many") {
			refused++
			continue
		}
		p.all[one.Website+" "+one.ID] = one
	}
	return refused, nil
}

func profile(members string) string {
	return `{"table":"profiles","website":"other",` + members + "}\n"
}

// TestProfilesOfExports imports profiles: they become profiles of the website of the import, and each line is stored or
// counted.
func TestProfilesOfExports(t *testing.T) {
	const rest = `"traits":{"name":"Ada","seats":1.50,"paid":true},"keyed":true,"changed_at":"2026-11-20T10:00:00.000Z"`
	for says, c := range map[string]struct{ line, want string }{
		"a whole one":       {profile(`"profile_id":"u1","name":"x",` + rest), "1/1 rows=1 stored=0"},
		"no id":             {profile(rest), "0/1 rows=0 stored=0 malformed=1"},
		"no time":           {profile(`"profile_id":"u1","traits":{}`), "0/1 rows=0 stored=0 malformed=1"},
		"an unknown member": {profile(`"profile_id":"u1","age":3,` + rest), "0/1 rows=0 stored=0 malformed=1"},
		"a trait of an array": {profile(`"profile_id":"u1","traits":{"a":[]},"changed_at":"2026-11-20T10:00:00Z"`),
			"0/1 rows=0 stored=0 malformed=1"},
		"a long id": {profile(`"profile_id":"` + strings.Repeat("u", 300) + `",` + rest),
			"0/1 rows=0 stored=0 not_stored=1"},
		"a NUL":             {profile(`"profile_id":"u\u0000",` + rest), "0/1 rows=0 stored=0 not_stored=1"},
		"beyond the limits": {profile(`"profile_id":"many",` + rest), "0/1 rows=0 stored=0 too_many=1"},
	} {
		w, p := newWorld(t), &storedPeople{map[string]store.Profile{}, -1}
		cfg := w.config()
		cfg.Profiles = p
		report := w.run(t, cfg, text("f", c.line))
		if got := summary(report); got != c.want {
			t.Errorf("%s: %s, want %s", says, got, c.want)
		}
		if report.Taken != int64(len(p.all)) || report.Profiles != report.Taken {
			t.Errorf("%s: %d stored, %d reported", says, len(p.all), report.Profiles)
		}
		for key, one := range p.all {
			if key != "web_shop u1" || fmt.Sprint(one.Traits) != "map[name:Ada paid:true seats:1.50]" || !one.Keyed {
				t.Errorf("%s: %s is %+v", says, key, one)
			}
		}
	}
	w := newWorld(t)
	report := w.run(t, w.config(), text("f", profile(`"profile_id":"u1",`+rest)))
	if got := summary(report); got != "0/1 rows=0 stored=0 not_stored=1" || report.Complete() {
		t.Errorf("without Config.Profiles: %s, complete: %v", got, report.Complete())
	}
}

// TestProfilesAfterAKill stops an import between profiles. The next one stores all of them.
func TestProfilesAfterAKill(t *testing.T) {
	var file strings.Builder
	for i := range 1500 {
		file.WriteString(profile(fmt.Sprintf(`"profile_id":"u%d","changed_at":"2026-11-20T10:00:00Z"`, i)))
	}
	for left := range 3 {
		w, p := newWorld(t), &storedPeople{map[string]store.Profile{}, left}
		cfg := w.config()
		cfg.Profiles, cfg.Progress = p, filepath.Join(t.TempDir(), "progress.json")
		if _, err := importer.Run(t.Context(), cfg, []importer.Source{text("f", file.String())}); !errors.Is(err,
			errKilled) {
			t.Fatal(err)
		}
		p.left = -1
		report := w.run(t, cfg, text("f", file.String()))
		if len(p.all) != 1500 || report.Taken != 1500 || report.Profiles != int64(1500-500*left) {
			t.Errorf("after %d pieces: %d of 1500 profiles, %d taken, %d stored now", left, len(p.all), report.Taken,
				report.Profiles)
		}
	}
}
