package lru

import (
	"testing"
)

func TestCacheKeepsWhatWasUsedLast(t *testing.T) {
	c := New[string, int](10)
	keeps := func(want map[string]int) {
		t.Helper()
		var held int64
		for key := range c.at {
			held += c.at[key].cost
			if _, ok := want[key]; !ok {
				t.Errorf("%s is kept", key)
			}
		}
		for key, value := range want {
			if e := c.at[key]; e == nil || e.value != value {
				t.Errorf("%s is kept as %v, not %d", key, e, value)
			}
		}
		if held != c.held || held > 10 {
			t.Errorf("costs %d, counted as %d", held, c.held)
		}
	}
	c.Add("a", 1, 4)
	c.Add("b", 2, 4)
	if v, ok := c.Get("a"); v != 1 || !ok {
		t.Errorf("a is %d, %t", v, ok)
	}
	c.Add("c", 3, 4)
	keeps(map[string]int{"a": 1, "c": 3})
	c.Add("a", 4, 6)
	keeps(map[string]int{"a": 4, "c": 3})
	c.Add("c", 5, 11)
	keeps(map[string]int{"a": 4})
	c.Add("d", 6, 10)
	keeps(map[string]int{"d": 6})
	c.Clear()
	keeps(nil)
	if c.ring.newer != &c.ring || c.ring.older != &c.ring {
		t.Error("an empty cache holds on to entries")
	}
}

func TestNoCacheKeepsNothing(t *testing.T) {
	c := New[string, int](0)
	c.Add("a", 1, 1)
	c.Clear()
	if _, ok := c.Get("a"); ok || c != nil {
		t.Error("a is kept")
	}
}
