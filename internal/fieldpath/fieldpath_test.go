package fieldpath

import "testing"

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"filters", "filters", true}, {"filters", "filters[0].op", true}, {"filters[0].op", "filters[0]", true},
		{"user.id", "user", true},
		{"filter", "filters", false}, {"filters[0]", "filters[1]", false}, {"filters[1]", "filters[10]", false},
		{"a", "b", false},
	} {
		if Overlap(c.one, c.other) != c.want || Overlap(c.other, c.one) != c.want {
			t.Errorf("%s and %s: want %t", c.one, c.other, c.want)
		}
	}
}
