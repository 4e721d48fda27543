package audit

import (
	"os"
	"slices"
)

// Plant puts contents in place of all that m holds.
func (m *Memory) Plant(s State, records []Record) {
	m.state, m.records = s.clone(), slices.Clone(records)
}

// PlantFile writes a log as somebody would who has the files and no pepper.
func PlantFile(path string, s State, records []Record) error {
	var text []byte
	var err error
	put := func(v any) {
		if err == nil {
			text, err = appendLine(text, v)
		}
	}
	for _, c := range s.Chains {
		if c.Cut != (Mark{}) {
			put(cutLine{c.Cut})
		}
	}
	for _, r := range records {
		put(lineOf(r))
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return (&File{path: path}).writeState(s)
}
