package lru

import (
	"maps"
	"testing"
)

func TestCacheKeepsWhatWasUsedLast(t *testing.T) {
	c := New[string, int](10)
	keeps := func(want map[string]int) {
		t.Helper()
		got, held := map[string]int{}, int64(0)
		for _, key := range c.by.Keys() {
			e, _ := c.by.Peek(key)
			got[key] = e.value
			held += e.cost
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v is kept, want %v", got, want)
		}
		if held != c.Size() || held > 10 {
			t.Errorf("costs %d, counted as %d", held, c.Size())
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
	if c.Has("a") || !c.Has("d") {
		t.Error("Has contradicts Get")
	}
	if v := c.GetOrAdd("d", func() int { return 7 }, 1); v != 6 {
		t.Errorf("d is %d", v)
	}
	if v := c.GetOrAdd("e", func() int { return 8 }, 5); v != 8 {
		t.Errorf("e is %d", v)
	}
	keeps(map[string]int{"e": 8})
	c.Clear()
	keeps(map[string]int{})
}

func TestNoCacheKeepsNothing(t *testing.T) {
	c := New[string, int](0)
	c.Add("a", 1, 1)
	c.Clear()
	if v := c.GetOrAdd("a", func() int { return 2 }, 1); v != 2 {
		t.Errorf("a is %d", v)
	}
	if _, ok := c.Get("a"); ok || c != nil {
		t.Error("a is kept")
	}
}
