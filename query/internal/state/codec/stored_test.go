package codec

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A memory holds dictionaries without a bound.
type memory struct {
	*state.Numbering
	dictionaries map[dictionaryName]*state.Dictionary
}

type dictionaryName struct {
	members string
	of      calendar.Interval
}

func newMemory() *memory {
	return &memory{state.NewNumbering(), map[dictionaryName]*state.Dictionary{}}
}

func (s *memory) Dictionary(members string, of calendar.Interval) *state.Dictionary {
	return s.dictionaries[dictionaryName{members, of}]
}

func (s *memory) PutDictionary(members string, of calendar.Interval, d *state.Dictionary) {
	if s.dictionaries[dictionaryName{members, of}] = d; d == nil {
		delete(s.dictionaries, dictionaryName{members, of})
	}
}

// readable returns the dictionaries that can be read.
func readable(stored map[string][]byte) map[string]*Dictionary {
	found := map[string]*Dictionary{}
	for members, bytes := range stored {
		if d, err := ReadDictionary(bytes); err == nil {
			found[members] = d
		}
	}
	return found
}

// setsOf deals the aggregates to state sets at random.
func setsOf(rng *rand.Rand, keyed bool) []*StateSet {
	sets := make([]*StateSet, 1+rng.IntN(3))
	for i := range sets {
		sets[i] = &StateSet{KeyNames: "key", Keyed: keyed}
	}
	for _, a := range statetest.Aggregates() {
		set := sets[rng.IntN(len(sets))]
		set.Aggregates = append(set.Aggregates, a)
	}
	return sets
}

// A process has the partials of a cut, by aggregate and stretch.
type process struct {
	*statetest.Cut
	memory   *memory
	partials [][]*state.Partial
}

// newProcess returns a process that computed the partials of all rows, of whole days if there are keys: only such are
// stored.
func newProcess(t *testing.T, rng *rand.Rand, all []statetest.Observation) *process {
	t.Helper()
	p := &process{Cut: statetest.RandomCut(rng), memory: newMemory()}
	p.Numbers = p.memory.Numbering
	if p.Keyed {
		p.Stretches = []calendar.Interval{{From: 0, To: 4 * statetest.Cell},
			{From: 4 * statetest.Cell, To: 8 * statetest.Cell}}
	}
	p.partials = p.compute(t, rng, all, p.Stretches)
	return p
}

func (p *process) compute(t *testing.T, rng *rand.Rand, all []statetest.Observation,
	stretches []calendar.Interval) [][]*state.Partial {
	t.Helper()
	made, err := statetest.Batch(rng, all, p.Keyed, stretches).Build(p.memory.Numbering)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// encode returns the stored bytes of a stretch.
func (p *process) encode(sets []*StateSet, stretch int) *Encoded {
	found := make([][]*state.Partial, len(sets))
	for i, set := range sets {
		for _, a := range set.Aggregates {
			found[i] = append(found[i], p.partials[slices.Index(statetest.Aggregates(), a)][stretch])
		}
	}
	return Encode(p.memory, p.Stretches[stretch], sets, found)
}

// load reads a stored state of a stretch, and reports whether that succeeded.
func (p *process) load(set *StateSet, stretch int, stored []byte, dictionaries map[string]*Dictionary) bool {
	read, _ := Load(p.memory, set, set.Aggregates, statetest.Cell,
		[]StoredState{{Of: p.Stretches[stretch], Version: 1, State: stored, Dictionaries: dictionaries}})
	if len(read.Unread) > 0 {
		return false
	}
	for i, a := range set.Aggregates {
		p.partials[slices.Index(statetest.Aggregates(), a)][stretch] = read.Partials[i][0]
	}
	return true
}

// other returns another process without partials. It numbered other keys and members, and some of these, before.
func (p *process) other(t *testing.T, rng *rand.Rand, of []statetest.Observation) *process {
	t.Helper()
	cut := *p.Cut
	o := &process{Cut: &cut, memory: newMemory(), partials: make([][]*state.Partial, len(p.partials))}
	o.Numbers = o.memory.Numbering
	for i := range o.partials {
		o.partials[i] = make([]*state.Partial, len(p.Stretches))
	}
	of = slices.Clone(of)
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	for i := range of {
		of[i].At = 8 * statetest.Cell
	}
	some := append(statetest.Diverse(rng), of[:rng.IntN(len(of)+1)]...)
	late := statetest.Batch(rng, some, true, []calendar.Interval{{From: 8 * statetest.Cell, To: 12 * statetest.Cell}})
	if _, err := late.Build(o.memory.Numbering); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestStored checks that another process, which loads stored partials and computes some of them itself, gives the
// answers of the rows.
func TestStored(t *testing.T) {
	testenv.WithoutRace(t)
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 6))
		all := statetest.Diverse(rng)
		if seed%2 == 0 {
			all = statetest.Observations(rng, rng.IntN(200))
		}
		p := newProcess(t, rng, all)
		sets, o := setsOf(rng, p.Keyed), p.other(t, rng, all)
		for i, s := range p.Stretches {
			compute := func() {
				for a, made := range o.compute(t, rng, all, []calendar.Interval{s}) {
					o.partials[a][i] = made[0]
				}
			}
			for _, n := range rng.Perm(len(sets)) { // they are stored one by one, and share dictionaries
				set := sets[n]
				e := p.encode([]*StateSet{set}, i)
				for name := range e.Dictionaries {
					o.memory.PutDictionary(name, s, nil) // another takes its place
				}
				if rng.IntN(4) == 0 {
					compute()
					continue
				}
				dictionaries := readable(e.Dictionaries)
				lacks := slices.ContainsFunc(set.Dictionaries(set.Aggregates), func(name string) bool {
					return dictionaries[name] == nil && o.memory.Dictionary(name, s) == nil
				})
				switch read := o.load(set, i, e.States[0], dictionaries); {
				case !read && lacks: // this process did not see a dictionary that was stored with its states
					compute()
				case !read:
					t.Fatalf("seed %d: %v cannot be read", seed, s)
				}
			}
		}
		o.Numbers.Publish(statetest.Aggregates(), "key")
		var sources [][]state.Source
		for _, of := range o.partials {
			sources = append(sources, o.Sources(of))
		}
		got := o.Answers(sources)
		for row, counts := range o.Rows() {
			if want := statetest.Answer(all, counts); got[row] != want {
				t.Errorf("seed %d, row %d: got %s, want %s", seed, row, got[row], want)
			}
		}
	}
}

// TestStoredDamage checks that Load reports a state with a changed byte, with another dictionary, or cut off, and holds
// no dictionary then.
func TestStoredDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	all := statetest.Diverse(rng)
	p := newProcess(t, rng, all)
	set := &StateSet{KeyNames: "key", Keyed: p.Keyed, Aggregates: statetest.Aggregates()}
	e, o := p.encode([]*StateSet{set}, 0), p.other(t, rng, all)
	changed := func(b []byte) []byte {
		b = slices.Clone(b)
		if at := rng.IntN(len(b) + 1); at < len(b) {
			b[at] ^= 1 << rng.IntN(8)
			return b
		}
		return b[:rng.IntN(len(b))]
	}
	other := p.other(t, rng, all)
	other.partials = other.compute(t, rng, all, other.Stretches)
	others := other.encode([]*StateSet{set}, 0).Dictionaries
	for range 300 {
		if o.load(set, 0, changed(e.States[0]), readable(e.Dictionaries)) {
			t.Fatal("a damaged state is read")
		}
		for name, stored := range e.Dictionaries {
			for _, bad := range [][]byte{changed(stored), nil, others[name]} {
				dictionaries := maps.Clone(e.Dictionaries)
				if dictionaries[name] = bad; o.load(set, 0, e.States[0], readable(dictionaries)) {
					t.Fatalf("a state is read with another dictionary of %s", name)
				}
			}
		}
	}
	if n := len(o.memory.dictionaries); n > 0 {
		t.Errorf("%d dictionaries are in memory", n)
	}
	if !o.load(set, 0, e.States[0], readable(e.Dictionaries)) {
		t.Error("the whole state cannot be read")
	}
}

// TestStoredFew checks that only members of loaded sets get numbers: of a set of few beside a set of many, whichever is
// loaded first.
func TestStoredFew(t *testing.T) {
	const rows, keys = 4000, 3
	rng := rand.New(rand.NewPCG(3, 8))
	columns := []store.Column{{Kind: dialect.Int}, {Kind: dialect.Text}, {Kind: dialect.Int}, {Kind: dialect.Int},
		{Kind: dialect.Int}}
	want := [2][keys]map[int64]bool{}
	for i := range rows {
		key, member := i%keys, rng.Int64N(1<<62)+1
		if i == 0 {
			member = 1 // the first of the dictionary is a member of both sets
		}
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
	of := calendar.Interval{From: 0, To: 4 * statetest.Cell}
	sets := []state.Aggregate{{Name: "many", Kind: state.Set, Members: "m"},
		{Name: "few", Kind: state.Set, Members: "m"}}
	site := newMemory()
	made, err := (&state.Computed{Stretches: []calendar.Interval{of}, Versions: []uint64{1},
		Rows:  &store.Rows{Len: rows, Columns: columns},
		Width: 4 * statetest.Cell, Keys: []int{1}, KeyNames: "key", Aggregates: sets, Columns: []int{2, 3},
		Count: 4}).Build(site.Numbering)
	if err != nil {
		t.Fatal(err)
	}
	stateSets := []*StateSet{{KeyNames: "key", Keyed: true, Aggregates: sets[:1]},
		{KeyNames: "key", Keyed: true, Aggregates: sets[1:]}}
	e := Encode(site, of, stateSets, made)
	for _, order := range [][]int{{1, 0}, {0, 1}} {
		other, numbered, counters := newMemory(), []int{}, state.Counters{}
		for _, n := range order {
			stored := StoredState{Of: of, Version: 1, State: e.States[n], Dictionaries: readable(e.Dictionaries)}
			read, _ := Load(other, stateSets[n], sets[n:n+1], statetest.Cell, []StoredState{stored})
			if len(read.Unread) > 0 {
				t.Fatalf("%v cannot be read", read.Unread)
			}
			other.Publish(sets[n:n+1], "key")
			numbered = append(numbered, other.Members(state.Set, "m"))
			for key, count := range counters.Counts(keys, numbered[len(numbered)-1],
				[]state.Source{{Partial: read.Partials[0][0]}}) {
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
