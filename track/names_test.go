package track

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// propertiesNamed returns the JSON of an object with numbered names.
func propertiesNamed(from, to int) string {
	var members []string
	for i := from; i < to; i++ {
		members = append(members, fmt.Sprintf(`"n%d":%d`, i, i))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestNamesOfPropertiesAreBounded sends events with ever new names of properties.
func TestNamesOfPropertiesAreBounded(t *testing.T) {
	w := &world{}
	h, ok := w.handler(t).(*Handler)
	if !ok {
		t.Fatal("no Handler")
	}
	send := func(site, properties string) []string {
		t.Helper()
		rec := w.post(t, "/?client_id="+site,
			`{"type":"track","name":"screen_view","path":"https://shop.com/","properties":`+properties+`}`)
		var answer struct{ Dropped []string }
		if err := json.Unmarshal([]byte(rec.raw), &answer); err != nil || rec.code != 200 {
			t.Fatalf("%d %s", rec.code, rec.raw)
		}
		return answer.Dropped
	}
	for i := 0; i < maxPropertyNames; i += 50 {
		if dropped := send("w1", propertiesNamed(i, i+50)); len(dropped) > 0 {
			t.Fatalf("names from %d on: dropped %v", i, dropped)
		}
	}
	if dropped := send("w1", `{"n7":1,"new":2,"n8":3,"newer":4}`); !slices.Equal(dropped,
		[]string{"properties.new", "properties.newer"}) {
		t.Errorf("beyond the bound: dropped %v", dropped)
	}
	if dropped := send("w2", `{"new":2}`); len(dropped) > 0 {
		t.Errorf("of another website: dropped %v", dropped)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := w.rows().Events
	if last := events[len(events)-2]; last.Properties != `{"n7":1,"n8":3}` {
		t.Errorf("stored %s", last.Properties)
	}
	blocked := w.rows().Blocked
	if len(blocked) != 1 || blocked[0].Website != "w1" || blocked[0].Reason != propertiesReason ||
		blocked[0].Requests != 1 {
		t.Errorf("blocked %+v", blocked)
	}
}

// TestNamesBeginAgainEachDay also drops the website that was used least recently.
func TestNamesBeginAgainEachDay(t *testing.T) {
	c, err := newNameCounter()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range maxPropertyNames {
		names = append(names, fmt.Sprint(i))
	}
	c.add("w", noon, append(names, "too many"))
	known := func(at time.Time) int { return len(c.known("w", at, []string{"5", "new"})) }
	if known(noon) != 1 || known(noon.Add(11*time.Hour)) != 1 {
		t.Error("a new name is known beyond the bound")
	}
	if known(noon.Add(12*time.Hour)) != 2 {
		t.Error("the next day does not begin again")
	}
	c.add("full", noon, names)
	for i := range namesKept {
		c.add(fmt.Sprint("other", i), noon, []string{"a"})
	}
	if n := c.by.Len(); n != namesKept || c.by.Contains("full") {
		t.Errorf("%d websites are kept, want %d without the first", n, namesKept)
	}
	if may := c.known("x", noon, append(names, "more")); len(may) != maxPropertyNames {
		t.Errorf("one event may have %d names, want %d", len(may), maxPropertyNames)
	}
}
