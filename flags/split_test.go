package flags

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// TestHashVersion2Vectors computes the published vectors, which were made with Python's hashlib.
// e2e/flags-vectors.mjs computes them in JavaScript.
func TestHashVersion2Vectors(t *testing.T) {
	js, err := os.ReadFile("testdata/hash_version_2.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Purpose       purpose
		Key, ID, Hash string
		Bucket, Of3   int
	}
	if err := json.Unmarshal(js, &vectors); err != nil || len(vectors) != 39 {
		t.Fatal(len(vectors), err)
	}
	for _, v := range vectors {
		s := newSplit(MixedHash, v.Purpose, v.Key)
		if got := fmt.Sprintf("%016x", mix(s.seed, v.ID)); got != v.Hash || s.bucket(v.ID) != float64(v.Bucket) ||
			s.equal(v.ID, 3) != v.Of3 {
			t.Errorf("%+v: hash %s, bucket %v, part %d of 3", v, got, s.bucket(v.ID), s.equal(v.ID, 3))
		}
	}
}

// TestTwoFlagsAreIndependent evaluates two flags for 2 000 random ids, once with two variants each and once as
// rollouts of 50 %. Each of the four combinations must be within 3 standard deviations of 500.
func TestTwoFlagsAreIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all, variants, rollouts []string
	for range 2000 {
		all = append(all, fmt.Sprintf("%016x", rng.Uint64()))
	}
	flag := func(key string, ty Type) Flag {
		return Flag{Key: key, Type: ty, Status: Active, Percentage: 50, HashVersion: MixedHash,
			Variants: weighted(-1, -1)}
	}
	x := NewIndex(Set{Flags: []Flag{flag("a", Multivariant), flag("b", Multivariant), flag("c", Rollout),
		flag("d", Rollout)}})
	for _, id := range all {
		found := x.EvaluateAll(&Context{UserID: id}, noon())
		variants = append(variants, found["a"].Variant+found["b"].Variant)
		rollouts = append(rollouts, fmt.Sprint(found["c"].Enabled, found["d"].Enabled))
	}
	for name, combinations := range map[string][]string{"variants": variants, "rollouts": rollouts} {
		count := map[string]int{}
		for _, one := range combinations {
			count[one]++
		}
		for one, n := range count {
			if deviation := math.Abs(float64(n)-500) / math.Sqrt(2000*0.25*0.75); deviation > 3 || len(count) != 4 {
				t.Errorf("%s: %d people have %s, %.1f standard deviations from 500", name, n, one, deviation)
			}
		}
	}
}

// TestPairsOfFlagsAreIndependent computes the chi-square of each of the 190 pairs of 20 flags over 100 000 ids. It
// does so for rollouts of 50 %, for three variants without weights, and for each flag's rollout with its variants. All
// values must be below the 99.9 % quantile. Flags and ids are fixed, so the results are, too. With a perfect hash, one
// of 400 values would exceed the quantile for every third choice of names.
func TestPairsOfFlagsAreIndependent(t *testing.T) {
	t.Parallel()
	for _, bad := range dependentPairs(20, MixedHash) {
		t.Error(bad)
	}
}

// TestHashVersion1IsNotIndependent shows that the test above can detect dependent flags.
func TestHashVersion1IsNotIndependent(t *testing.T) {
	if bad := dependentPairs(3, FirstHash); len(bad) < 6 {
		t.Errorf("only %d of 9 pairs with the first hash depend on each other: %q", len(bad), bad)
	}
}

// dependentPairs returns a line for each pair whose chi-square reaches the 99.9 % quantile.
func dependentPairs(flags, version int) (bad []string) {
	rollouts, variants, people := make([]sample, flags), make([]sample, flags), make([]Context, sampled)
	for n := range people {
		people[n].UserID = "visitor-" + strconv.Itoa(n)
	}
	var wg sync.WaitGroup
	for n := range flags {
		r := newReady(&Flag{Key: fmt.Sprint("flag-", n), HashVersion: version, Variants: weighted(-1, -1, -1)}, nil,
			patterns{})
		wg.Go(func() { rollouts[n], variants[n] = newSample(2, r, people), newSample(3, r, people) })
	}
	wg.Wait()
	// The quantiles have one degree of freedom less than the number of combinations.
	check := func(kind string, a, b int, x, y sample, quantile float64) {
		if chi := chiSquare(x, y); chi >= quantile {
			bad = append(bad, fmt.Sprintf("%s of flags %d and %d: chi-square %.1f, not below %.3f", kind, a, b, chi,
				quantile))
		}
	}
	for a := range rollouts {
		check("rollout and variants", a, a, rollouts[a], variants[a], 20.515)
		for b := range a {
			check("rollouts", a, b, rollouts[a], rollouts[b], 16.266)
			check("variants", a, b, variants[a], variants[b], 26.124)
		}
	}
	return bad
}

const sampled = 100_000

// A sample holds the ids in each equal part of people, as sets of bits.
type sample [][]uint64

// newSample divides ids by the rollout of r for two parts, otherwise by its variants.
func newSample(parts int, r *ready, people []Context) sample {
	s := make(sample, parts)
	for i := range s {
		s[i] = make([]uint64, sampled/64+1)
	}
	for n := range people {
		part := 0
		if parts == 2 && r.rollout.below(people[n].UserID, 50) {
			part = 1
		} else if parts != 2 {
			part = int(r.pick(&people[n]).Key[0] - 'a')
		}
		s[part][n/64] |= 1 << (n % 64)
	}
	return s
}

// chiSquare compares the number of ids in each combination with equal numbers.
func chiSquare(x, y sample) (sum float64) {
	want := sampled / float64(len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			n := 0
			for i := range a {
				n += bits.OnesCount64(a[i] & b[i])
			}
			sum += (float64(n) - want) * (float64(n) - want) / want
		}
	}
	return sum
}

// TestHundredthOfAPercent uses a rollout of 0.01 % and a variant with that weight: about 30 of 300 000 people get it.
func TestHundredthOfAPercent(t *testing.T) {
	t.Parallel()
	rollout, variant := newSplit(MixedHash, forRollout, "k"),
		newReady(&Flag{Key: "k", HashVersion: MixedHash, Variants: weighted(0.01, 99.99)}, nil, patterns{})
	on, first := 0, 0
	for n := range 300_000 {
		id := "user-" + strconv.Itoa(n)
		if rollout.below(id, 0.01) {
			on++
		}
		if variant.pick(&Context{UserID: id}).Key == "a" {
			first++
		}
	}
	if min(on, first) < 12 || max(on, first) > 50 {
		t.Errorf("of 300 000 people %d are in a rollout of 0.01 %%, and %d have the variant", on, first)
	}
}

// TestLimitsOfMixedHashAreExact checks the number of buckets for every percentage with two decimals.
func TestLimitsOfMixedHashAreExact(t *testing.T) {
	s := split{mixed: true}
	for n := range mixedBuckets + 1 {
		percent, err := strconv.ParseFloat(fmt.Sprintf("%d.%02d", n/100, n%100), 64)
		if err != nil || s.limit(percent) != float64(n) {
			t.Fatalf("%v %% is %v buckets, %v; want %d", percent, s.limit(percent), err, n)
		}
	}
	for _, n := range []int{1, 3, 32, mixedBuckets} {
		if low, high := part(0, n), part(math.MaxUint64, n); low != 0 || high != n-1 {
			t.Errorf("parts of %d go from %d to %d", n, low, high)
		}
	}
}
