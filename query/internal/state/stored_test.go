package state_test

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// manifold are observations with keys of any bytes, members that are hashes, and values of any size.
func manifold(rng *rand.Rand) []observation {
	keys, members, width := make([]string, 1+rng.IntN(40)), make([]int64, 1+rng.IntN(600)), int64(1)<<rng.IntN(42)
	for i := range keys {
		text := make([]byte, rng.IntN(6))
		for j := range text {
			text[j] = byte(rng.IntN(256))
		}
		keys[i] = string(text)
	}
	for i := range members {
		members[i] = rng.Int64()
	}
	members[0] = 0
	found := make([]observation, rng.IntN(1500))
	for i := range found {
		found[i] = observation{rng.Int64N(8 * cell), keys[rng.IntN(len(keys))], members[rng.IntN(len(members))], rng.Int64N(2*width) - width, rng.IntN(4) == 0}
	}
	return found
}

// read are the dictionaries that can be read.
func read(stored map[string][]byte) map[string]*state.Dictionary {
	found := map[string]*state.Dictionary{}
	for members, bytes := range stored {
		if d, err := state.ReadDictionary(bytes); err == nil {
			found[members] = d
		}
	}
	return found
}

// bundlesOf deals the aggregates to state sets at random.
func bundlesOf(rng *rand.Rand, keyed bool) []*state.StateSet {
	bundles, shares := make([]*state.StateSet, 1+rng.IntN(3)), keyed && rng.IntN(2) == 0
	for i := range bundles {
		bundles[i] = &state.StateSet{KeyNames: "key", Keyed: keyed, SharesKeys: shares}
	}
	for _, a := range aggregates {
		bu := bundles[rng.IntN(len(bundles))]
		bu.Aggregates = append(bu.Aggregates, a)
	}
	return bundles
}

// wholeCut is a cut whose days are whole if there are keys: only such are stored.
func wholeCut(t *testing.T, rng *rand.Rand, all []observation) *cut {
	t.Helper()
	c := randomCut(t, rng, all, 64<<20)
	if !c.keyed {
		return c
	}
	c.cache, c.stretches = state.NewCache(64<<20), []calendar.Interval{{From: 0, To: 4 * cell}, {From: 4 * cell, To: 8 * cell}}
	c.site = c.cache.Shelf(store.Subject{ID: "w"})
	if _, err := c.site.Add(batch(rng, all, true, c.stretches)); err != nil {
		t.Fatal(err)
	}
	return c
}

// encode returns the stored bytes of a stretch of c.
func (c *cut) encode(t *testing.T, bundles []*state.StateSet, stretch int) *state.Encoded {
	t.Helper()
	found := make([][]*state.Partial, len(bundles))
	for i, bu := range bundles {
		for _, a := range bu.Aggregates {
			found[i] = append(found[i], c.sources(t, a)[stretch].Partial)
		}
	}
	return c.site.Encode(c.stretches[stretch], bundles, found)
}

// other is c in another process, which numbered other keys and members before.
func (c *cut) other(t *testing.T, rng *rand.Rand, of []observation) *cut {
	t.Helper()
	o := *c
	o.cache = state.NewCache(64 << 20)
	o.site = o.cache.Shelf(store.Subject{ID: "w"})
	of = slices.Clone(of)
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	for i := range of {
		of[i].at = 8 * cell
	}
	some := append(manifold(rng), of[:rng.IntN(len(of)+1)]...)
	if _, err := o.site.Add(batch(rng, some, true, []calendar.Interval{{From: 8 * cell, To: 12 * cell}})); err != nil {
		t.Fatal(err)
	}
	return &o
}

// TestStored wants partials that were stored and loaded by another process, which computes some of them
// itself, to say what the rows say.
func TestStored(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		all := manifold(rng)
		if seed%2 == 0 {
			all = observations(rng, rng.IntN(200))
		}
		c := wholeCut(t, rng, all)
		bundles, o := bundlesOf(rng, c.keyed), c.other(t, rng, all)
		for i, s := range c.stretches {
			order := rng.Perm(len(bundles)) // they are stored one by one, and share dictionaries
			for _, n := range order {
				one := bundles[n : n+1]
				e := c.encode(t, one, i)
				for name := range e.Dictionaries {
					o.site.ForgetDictionary(name, s) // another takes its place
				}
				if rng.IntN(4) == 0 {
					if _, err := o.site.Add(batch(rng, all, c.keyed, []calendar.Interval{s})); err != nil {
						t.Fatal(err)
					}
					continue
				}
				dictionaries := read(e.Dictionaries)
				lacks := slices.ContainsFunc(one[0].Dictionaries(one[0].Aggregates), func(name string) bool {
					return dictionaries[name] == nil && !o.site.HasDictionary(name, s)
				})
				unread, _ := o.site.Load(one[0], one[0].Aggregates, cell, []state.StoredState{{Of: s, Version: 1, State: e.States[0], Dictionaries: dictionaries}})
				if len(unread) > 0 && lacks {
					// This process did not see a dictionary that was stored with its states.
					unread = nil
					if _, err := o.site.Add(batch(rng, all, c.keyed, []calendar.Interval{s})); err != nil {
						t.Fatal(err)
					}
				}
				if len(unread) > 0 {
					t.Fatalf("seed %d: %v cannot be read", seed, unread)
				}
			}
		}
		var sources [][]state.Source
		for _, a := range aggregates {
			sources = append(sources, o.sources(t, a))
		}
		got := o.answers(sources)
		for row, counts := range o.rows() {
			if want := answer(all, counts); got[row] != want {
				t.Errorf("seed %d, row %d: got %s, want %s", seed, row, got[row], want)
			}
		}
	}
}

// TestStoredDamage checks that a state with a changed byte, with another dictionary, or cut off is reported, and that it leaves
// memory unchanged.
func TestStoredDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	all := manifold(rng)
	c := wholeCut(t, rng, all)
	bundle := &state.StateSet{KeyNames: "key", Keyed: c.keyed, SharesKeys: c.keyed, Aggregates: aggregates}
	e, o := c.encode(t, []*state.StateSet{bundle}, 0), c.other(t, rng, all)
	before := o.cache.Size()
	readable := func(stored []byte, dictionaries map[string][]byte) bool {
		unread, _ := o.site.Load(bundle, bundle.Aggregates, cell, []state.StoredState{{Of: c.stretches[0], Version: 1, State: stored, Dictionaries: read(dictionaries)}})
		return len(unread) == 0
	}
	changed := func(b []byte) []byte {
		b = slices.Clone(b)
		if at := rng.IntN(len(b) + 1); at < len(b) {
			b[at] ^= 1 << rng.IntN(8)
			return b
		}
		return b[:rng.IntN(len(b))]
	}
	other := c.other(t, rng, all)
	if _, err := other.site.Add(batch(rng, all, c.keyed, c.stretches)); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if readable(changed(e.States[0]), e.Dictionaries) {
			t.Fatal("damage is not told")
		}
		others := other.encode(t, []*state.StateSet{bundle}, 0).Dictionaries
		for name, stored := range e.Dictionaries {
			for _, bad := range [][]byte{changed(stored), nil, others[name]} {
				dictionaries := maps.Clone(e.Dictionaries)
				if dictionaries[name] = bad; readable(e.States[0], dictionaries) {
					t.Fatalf("a state is read with another dictionary of %s", name)
				}
			}
		}
		other.cache.Forget(store.Subject{ID: "w"})
		other = c.other(t, rng, all)
		if _, err := other.site.Add(batch(rng, all, c.keyed, c.stretches)); err != nil {
			t.Fatal(err)
		}
	}
	if o.cache.Size() != before {
		t.Errorf("%d bytes became %d", before, o.cache.Size())
	}
	if !readable(e.States[0], e.Dictionaries) {
		t.Error("the whole state cannot be read")
	}
}

// FuzzState loads any bytes, with the right checksum, and merges what comes of them.
func FuzzState(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 8))
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		c := cut{keyed: seed%2 == 0, stretches: []calendar.Interval{{From: 0, To: 4 * cell}}, cache: state.NewCache(1 << 20)}
		c.site = c.cache.Shelf(store.Subject{ID: "w"})
		made, err := c.site.Add(batch(rng, observations(rng, 60), c.keyed, c.stretches))
		if err != nil {
			f.Fatal(err)
		}
		of := make([]*state.Partial, len(made))
		for i := range made {
			of[i] = made[i][0]
		}
		for _, shares := range []bool{false, true} {
			bundle := &state.StateSet{KeyNames: "key", Keyed: c.keyed, SharesKeys: c.keyed && shares, Aggregates: aggregates}
			e := c.site.Encode(c.stretches[0], []*state.StateSet{bundle}, [][]*state.Partial{of})
			if shares {
				f.Add(e.States[0], e.Dictionaries["m"], e.Dictionaries["keys key"], c.keyed)
			} else {
				f.Add(e.States[0], e.Dictionaries["m"], []byte(nil), c.keyed)
			}
		}
	}
	f.Fuzz(func(t *testing.T, stored, dictionary, keys []byte, keyed bool) {
		for _, b := range [][]byte{stored, dictionary, keys} {
			if len(b) >= 5 {
				binary.LittleEndian.PutUint32(b[1:5], crc32.Checksum(b[5:], crc32.MakeTable(crc32.Castagnoli)))
			}
		}
		if len(dictionary) >= 13 && len(stored) >= 14 {
			copy(stored[6:14], dictionary[5:13]) // the dictionary's number
			binary.LittleEndian.PutUint32(stored[1:5], crc32.Checksum(stored[5:], crc32.MakeTable(crc32.Castagnoli)))
		}
		c := cut{keyed: keyed, width: 1, stretches: []calendar.Interval{{From: 0, To: 4 * cell}}, cache: state.NewCache(1 << 20)}
		c.site = c.cache.Shelf(store.Subject{ID: "w"})
		bundle := &state.StateSet{KeyNames: "key", Keyed: keyed, SharesKeys: keyed && len(keys) > 0, Aggregates: aggregates}
		if unread, _ := c.site.Load(bundle, bundle.Aggregates, cell, []state.StoredState{{Of: c.stretches[0], Version: 1, State: stored, Dictionaries: read(map[string][]byte{"m": dictionary, "keys key": keys})}}); len(unread) > 0 {
			return
		}
		if _, err := c.site.Add(batch(rng, observations(rng, 20), keyed, []calendar.Interval{{From: 4 * cell, To: 8 * cell}})); err != nil {
			t.Fatal(err)
		}
		c.stretches = append(c.stretches, calendar.Interval{From: 4 * cell, To: 8 * cell})
		var sources [][]state.Source
		for _, a := range aggregates {
			sources = append(sources, c.sources(t, a))
		}
		c.answers(sources)
	})
}

// TestStoredFew wants members that are loaded sets do not have to take no numbers: of a set of few beside one of many, whichever
// is loaded first.
func TestStoredFew(t *testing.T) {
	const rows, keys = 4000, 3
	rng := rand.New(rand.NewPCG(3, 8))
	columns := []store.Column{{Kind: dialect.Int}, {Kind: dialect.Text}, {Kind: dialect.Int}, {Kind: dialect.Int}, {Kind: dialect.Int}}
	want := [2][keys]map[int64]bool{}
	for i := range rows {
		key, member := i%keys, rng.Int64N(1<<62)+1
		columns[0].Ints, columns[1].Texts = append(columns[0].Ints, 0), append(columns[1].Texts, string(rune('a'+key)))
		columns[2].Ints, columns[4].Ints = append(columns[2].Ints, member), append(columns[4].Ints, 1)
		if i%20 > 0 {
			columns[3].Ints = append(columns[3].Ints, 0)
		} else {
			columns[3].Ints = append(columns[3].Ints, member)
		}
		for n, c := range []int{2, 3} {
			if want[n][key] == nil {
				want[n][key] = map[int64]bool{}
			}
			if columns[c].Ints[i] != 0 {
				want[n][key][columns[c].Ints[i]] = true
			}
		}
	}
	of := calendar.Interval{From: 0, To: 4 * cell}
	sets := []state.Aggregate{{Name: "many", Kind: state.Set, Members: "m"}, {Name: "few", Kind: state.Set, Members: "m"}}
	site := state.NewCache(1 << 24).Shelf(store.Subject{ID: "w"})
	made, err := site.Add(&state.Computed{Stretches: []calendar.Interval{of}, Versions: []uint64{1}, Rows: &store.Rows{Len: rows, Columns: columns},
		Width: 4 * cell, Keys: []int{1}, KeyNames: "key", Aggregates: sets, Columns: []int{2, 3}, Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	bundles := []*state.StateSet{{KeyNames: "key", Keyed: true, Aggregates: sets[:1]}, {KeyNames: "key", Keyed: true, Aggregates: sets[1:]}}
	e := site.Encode(of, bundles, made)
	for _, order := range [][]int{{1, 0}, {0, 1}} {
		cache := state.NewCache(1 << 24)
		other, numbered := cache.Shelf(store.Subject{ID: "w"}), []int{}
		for _, n := range order {
			stored := state.StoredState{Of: of, Version: 1, State: e.States[n], Dictionaries: read(e.Dictionaries)}
			if unread, _ := other.Load(bundles[n], sets[n:n+1], cell, []state.StoredState{stored}); len(unread) > 0 {
				t.Fatalf("%v cannot be read", unread)
			}
			numbered = append(numbered, other.Members(state.Set, "m"))
			found, _ := other.Find(sets[n], []calendar.Interval{of}, []uint64{1})
			for key, count := range cache.Counts(keys, numbered[len(numbered)-1], []state.Source{{Partial: found[0]}}) {
				if int(count) != len(want[n][key]) {
					t.Errorf("key %d of %s has %d members, want %d", key, sets[n].Name, count, len(want[n][key]))
				}
			}
		}
		if few := order[0] == 1; numbered[1] != rows || few && numbered[0] != rows/20 {
			t.Errorf("loaded in the order %v, %v members have numbers", order, numbered)
		}
	}
}
