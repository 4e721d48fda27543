package meta

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/flags"
)

// BenchmarkChangeOfAFullSet changes one small flag of a client whose flags take about [flags.MaxSet] bytes.
func BenchmarkChangeOfAFullSet(b *testing.B) {
	s := mustOpen(b, config(b))
	web := flags.OfWebsite("web")
	c := flags.Commit{Client: web}
	payload := []byte(`{"a":"` + strings.Repeat("x", 30_000) + `"}`)
	for i := range 500 {
		c.Flags = append(c.Flags, flags.Flag{
			Client: web, ID: fmt.Sprint("f", i), Key: fmt.Sprint("k", i), Type: flags.Boolean, Status: flags.Active,
			Payload: payload, Revision: 1, CreatedAt: noon, UpdatedAt: noon,
		})
	}
	c.Flags[7].Payload = nil
	if err := s.Flags().Commit(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	editor, err := flags.NewEditor(flags.EditorConfig{Store: s.Flags(), Now: s.cfg.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := editor.Change(b.Context(), flags.Target{Client: web, ID: "f7", Actor: flags.Actor{Kind: "key"}},
			func(f *flags.Flag) { f.Default = !f.Default }); err != nil {
			b.Fatal(err)
		}
	}
}
