package tracktest_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/tracktest"
)

// The test of salts, here of salts in a folder.
func Example() {
	TestSalts := func(t *testing.T) {
		tracktest.RunSalts(t, func(t *testing.T) tracktest.Opener {
			folder := t.TempDir()
			return func(now func() time.Time) track.Salts {
				s, err := track.NewFileSalts(track.FileSaltsConfig{Folder: folder, Now: now})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
		})
	}
	_ = TestSalts
}
