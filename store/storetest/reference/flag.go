package reference

import (
	"encoding/json"
	"strings"
)

// member returns the first member of an object with that name, if it is a string, true or false.
func member(properties, name string) string {
	d := json.NewDecoder(strings.NewReader(properties))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return ""
		}
		if key != name {
			continue
		}
		switch value[0] {
		case '"':
			var said string
			_ = json.Unmarshal(value, &said) // it was already decoded
			return said
		case 't', 'f':
			return string(value)
		}
		return ""
	}
	return ""
}

// exposes reports whether r is an exposure of a flag.
func (r *row) exposes() bool {
	return r.named() && r.name == "$flag_evaluated" && member(r.properties, "flag") != ""
}

// shown returns the flag of r, and its variant or whether it was enabled.
func shown(r *row) []string {
	variant := member(r.properties, "variant")
	if variant == "" {
		variant = member(r.properties, "enabled")
	}
	return []string{member(r.properties, "flag"), variant}
}

func (a *evaluation) flagExposures() *table {
	g, _ := a.tallyRows((*row).exposes, shown)
	t := a.ordered("visitors", "flag", "variant")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination), text(one.key[0]), text(one.key[1]),
			count(len(e.users)), count(len(e.sessions)), count(e.rows)))
	}
	return t
}
