package flags

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/golden"
)

func TestHash(t *testing.T) {
	for _, c := range []struct {
		text   string
		size   int64
		bucket int
	}{
		{"", 0, 0},
		{"a", 97, 97},
		{"new-ui:user-123", 1206138199, 99},
		{"new-ui:anonymous", 1122690540, 40},
		{"exp-1:variant:user-1", 1654015139, 39},
		{"exp-1:variant:user-2", 1654015138, 38},
		{"percentage:user-123", 29572592, 92},
		{"beta:org_abc", 794192643, 43},
		{"flag:🎉", 777477733, 33},
		{"é:ü", 225963, 63},
		{"rollout-50:user-0", 977811281, 81},
		{"rollout-50:user-2", 977811283, 83},
		{"polygenelubricants", 2147483648, 48}, // its hash is the least integer
	} {
		if h := hash(0).add(c.text); h.size() != c.size || h.bucket() != c.bucket {
			t.Errorf("%q: %d, bucket %d; want %d, %d", c.text, h.size(), h.bucket(), c.size, c.bucket)
		}
	}
}

// TestGoldenBuckets compares results with a file that must never change.
func TestGoldenBuckets(t *testing.T) {
	var b strings.Builder
	people := []Context{{}, {UserID: "ü-🎉-漢"}, {Email: "a@example.com"},
		{UserID: "u", OrganizationID: "org_abc", TeamID: "team 7"}}
	for n := range 40 {
		people = append(people, Context{UserID: fmt.Sprintf("user-%d", n*n), OrganizationID: fmt.Sprintf("org_%d", n)})
	}
	x := NewIndex(Set{Flags: goldenFlags()})
	for _, c := range people {
		fmt.Fprintf(&b, "%q %q %q %q:", c.UserID, c.Email, c.OrganizationID, c.TeamID)
		for _, f := range goldenFlags() {
			result := x.Evaluate(f.Key, &c, noon())
			fmt.Fprintf(&b, " %s=%v", f.Key, result.Enabled)
			if result.Variant != "" {
				fmt.Fprintf(&b, "(%s)", result.Variant)
			}
		}
		b.WriteByte('\n')
	}
	golden.Check(t, "testdata/buckets.golden", []byte(b.String()))
}

func goldenFlags() []Flag {
	list := []Flag{
		{Key: "by-user", Type: Rollout, Percentage: 50},
		{Key: "by-organization", Type: Rollout, Percentage: 30, By: ByOrganization},
		{Key: "by-team", Type: Rollout, Percentage: 70, By: ByTeam},
		{Key: "variants", Type: Multivariant, Variants: weighted(20, 30, 50)},
		{Key: "even", Type: Multivariant, Variants: weighted(-1, -1, -1)},
		{Key: "rule", Type: Boolean, Rules: []Rule{{On: OnProperty, Value: 25.0, Enabled: true}}},
	}
	for i := range list {
		list[i].Status = Active
	}
	return list
}

// weighted returns variants with these weights; -1 means no weight.
func weighted(weights ...float64) (list []Variant) {
	for i, w := range weights {
		v := Variant{Key: string(rune('a' + i)), Type: NumberValue, Value: []byte("1")}
		if w >= 0 {
			v.Weight = &w
		}
		list = append(list, v)
	}
	return list
}

func TestRaisedRolloutExcludesNoOne(t *testing.T) {
	on := map[string]bool{}
	for percentage := range 101 {
		x := NewIndex(Set{Flags: []Flag{{Key: "k", Type: Rollout, Status: Active, Percentage: float64(percentage)}}})
		for n := range 1000 {
			id := fmt.Sprintf("user-%d", n*7919)
			result := x.Evaluate("k", &Context{UserID: id}, noon())
			if on[id] && !result.Enabled {
				t.Fatalf("%s is off at %d %%", id, percentage)
			}
			on[id] = result.Enabled
		}
		if all := len(on); percentage == 0 && on["user-0"] || percentage == 100 && all != count(on) {
			t.Errorf("at %d %% %d of %d are on", percentage, count(on), all)
		}
	}
}

func count(on map[string]bool) (n int) {
	for _, is := range on {
		if is {
			n++
		}
	}
	return n
}

func TestWeightsHold(t *testing.T) {
	const people = 100_000
	for _, weights := range [][]float64{{50, 50}, {10, 20, 70}, {0, 100}, {33.3, 33.3, 33.4}, {-1, -1, -1, -1},
		{1, 99}} {
		f := Flag{Key: "experiment", Type: Multivariant, Status: Active, Variants: weighted(weights...)}
		x := NewIndex(Set{Flags: []Flag{f}})
		got := map[string]int{}
		for n := range people {
			got[x.Evaluate(f.Key, &Context{UserID: fmt.Sprintf("%08x-user", uint32(n)*2654435761)}, noon()).Variant]++
		}
		for i, v := range f.Variants {
			want := weights[i]
			if want < 0 {
				want = 100 / float64(len(weights))
			}
			if share := float64(got[v.Key]) * 100 / people; share < want-1 || share > want+1 {
				t.Errorf("weights %v: variant %s has %.2f %%", weights, v.Key, share)
			}
		}
	}
}
