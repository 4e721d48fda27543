package audit

import (
	"bytes"
	"context"
	"errors"
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
	for _, c := range s.Chains {
		if err == nil && c.Cut != (Mark{}) {
			text, err = appendLine(text, cutLine{c.Cut})
		}
	}
	for _, r := range records {
		text = AppendLine(text, r)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return (&File{path: path}).writeState(s)
}

// Line is r as encoding/json has it.
func Line(r Record) ([]byte, error) {
	e := r.Entry
	return appendLine(nil, line{
		Writer: r.Writer, Seq: r.Seq, Time: e.Time.UTC().Format(stamp), RequestID: e.RequestID, KeyID: e.KeyID, Start: e.Start,
		Owner: e.Owner, Method: e.Method, Route: e.Route, ResourceKind: e.Resource.Kind, ResourceID: e.Resource.ID,
		ResourceOwner: e.Resource.Owner, Scope: string(e.Scope), Outcome: e.Outcome, Status: e.Status, IP: e.IP,
		UserAgent: e.UserAgent, MAC: r.MAC,
	})
}

// Reread reads lines and spells what they hold again; nil where nothing can be read.
func Reread(ctx context.Context, text []byte) (lines [][]byte, err error) {
	for it, err := range readLines(ctx, bytes.NewReader(text)) {
		var bad *UnreadableError
		switch {
		case errors.As(err, &bad):
			lines = append(lines, nil)
			continue
		case err != nil:
			return nil, err
		}
		line := AppendLine(nil, it.record)
		if it.cut != nil {
			if line, err = appendLine(nil, cutLine{*it.cut}); err != nil {
				return nil, err
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}
