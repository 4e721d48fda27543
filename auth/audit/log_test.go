package audit_test

import (
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

func TestMemoryConforms(t *testing.T) {
	authtest.RunLog(t, func(*testing.T) authtest.LogBench {
		m := &audit.Memory{}
		return authtest.LogBench{Log: m, Plant: func(_ *testing.T, s audit.State, records []audit.Record) { m.Plant(s, records) }}
	})
}

func openFile(t testing.TB, path string) *audit.File {
	t.Helper()
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFileConforms(t *testing.T) {
	authtest.RunLog(t, func(t *testing.T) authtest.LogBench {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		f := openFile(t, path)
		return authtest.LogBench{
			Log: f,
			Plant: func(t *testing.T, s audit.State, records []audit.Record) {
				if err := audit.PlantFile(path, s, records); err != nil {
					t.Fatal(err)
				}
			},
			Again: func(t *testing.T) audit.Log {
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				return openFile(t, path)
			},
		}
	})
}
