package query_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A wrapper that loses optional interfaces of a store has no Sealer, and the log says what is lost.
func TestNewLogsTheAbilitiesOfTheStore(t *testing.T) {
	for _, row := range []struct {
		name   string
		store  store.Store
		seals  bool
		logged string
	}{
		{"a store", &daily{silent: silent{dialect.DuckDB()}}, true,
			`"has":["DayLister","Deriver"],"lacks":["Writer","Resealer",`},
		{"a wrapper", struct{ store.Store }{&daily{silent: silent{dialect.DuckDB()}}}, false,
			`"has":null,"lacks":["Writer","DayLister","Deriver",`},
	} {
		t.Run(row.name, func(t *testing.T) {
			log := &bytes.Buffer{}
			e := logged(t, row.store, query.Config{}, log)
			if s := query.NewSealer(e); (s != nil) != row.seals {
				t.Errorf("the sealer is %v", s)
			}
			if !strings.Contains(log.String(), row.logged) || !strings.Contains(log.String(), `"level":"INFO"`) {
				t.Errorf("the log is %s, want %s", log, row.logged)
			}
		})
	}
}

func TestANilSealerHasNothingToDo(t *testing.T) {
	var s *query.Sealer
	s.Run(t.Context(), nil)
	if err := s.Finish(t.Context()); err != nil || s.Backlog() != (query.Backlog{}) {
		t.Errorf("Finish returns %v, and the backlog is %+v", err, s.Backlog())
	}
}
