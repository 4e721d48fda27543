package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Did is a condition on what was done in the session of a row, with the fields of did in a query. Exactly one of
// Event, Page and Click is not nil.
type Did struct {
	Event   *Text    `json:"event,omitempty"`   // the name of a custom event
	Page    *Text    `json:"page,omitempty"`    // the path of a pageview
	Click   *Text    `json:"click,omitempty"`   // the address of a clicked link
	Filters []Filter `json:"filters,omitempty"` // on fields of events and on properties
	In      string   `json:"in,omitempty"`      // session; empty means the same
}

// A Text is a test of a text. In JSON a string stands for op eq with the string, and value may stand in place of
// values.
type Text struct {
	Op     string   `json:"op"`
	Values []string `json:"values,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(js []byte) error {
	if bytes.HasPrefix(js, []byte(`"`)) {
		*t = Text{"eq", make([]string, 1)}
		return json.Unmarshal(js, &t.Values[0])
	}
	var sent struct {
		Op     string   `json:"op"`
		Value  Values   `json:"value"`
		Values []string `json:"values"`
	}
	d := json.NewDecoder(bytes.NewReader(js))
	d.DisallowUnknownFields()
	if err := d.Decode(&sent); err != nil {
		return err
	}
	if sent.Value != nil && sent.Values != nil {
		return errors.New("a test has either value or values")
	}
	*t = Text{sent.Op, append(sent.Values, sent.Value...)}
	return nil
}

func (t *Text) clone() *Text {
	if t == nil {
		return nil
	}
	return &Text{t.Op, slices.Clone(t.Values)}
}

func (d *Did) clone() *Did {
	if d == nil {
		return nil
	}
	return &Did{d.Event.clone(), d.Page.clone(), d.Click.clone(), cloneAll(d.Filters), d.In}
}

// checkDid checks a condition at that place, which has depth groups around it.
func (f *FieldErrors) checkDid(at string, d *Did, depth int) {
	given := 0
	for _, text := range []struct {
		name string
		of   *Text
	}{{"event", d.Event}, {"page", d.Page}, {"click", d.Click}} {
		if text.of == nil {
			continue
		}
		given++
		switch {
		case text.of.Op == "" || len(text.of.Values) == 0:
			f.add(at+"."+text.name, "must be a text, or have an op and values")
		case !utf8.ValidString(text.of.Op + strings.Join(text.of.Values, "")):
			f.add(at+"."+text.name, mistake.NotUTF8)
		default:
			atMost(f, at+"."+text.name+".values", text.of.Values, MaxValues, quoted)
		}
	}
	if given != 1 {
		f.add(at, "must have exactly one of event, page and click")
	}
	if d.In != "" && d.In != "session" {
		f.add(at+".in", "must be session in the filter of a key or token")
	}
	for i, one := range d.Filters {
		here := fmt.Sprintf("%s.filters[%d]", at, i)
		if one.hasDid() {
			f.add(here, "cannot have did inside did")
			continue
		}
		f.checkFilter(here, one, depth)
	}
}

// hasDid reports whether a condition in f asks what was done.
func (f Filter) hasDid() bool {
	return f.Did != nil || slices.ContainsFunc(f.Parts(), Filter.hasDid)
}
