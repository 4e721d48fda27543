package state

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// keys numbers texts: 0, 1, 2 and so on, in the order in which they came up.
type keys struct {
	numbers   map[string]uint32
	texts     []string // by number
	published []string
}

func (k *keys) number(text string) uint32 {
	n, ok := k.numbers[text]
	if !ok {
		n = uint32(len(k.texts))
		k.numbers[text] = n
		k.texts = append(k.texts, text)
	}
	return n
}

// compare orders two numbers by their texts.
func (k *keys) compare(a, b uint32) int { return cmp.Compare(k.texts[a], k.texts[b]) }

// publish lets others see all texts, and returns about how many bytes the new ones take.
func (k *keys) publish() (bytes int64) {
	for _, text := range k.texts[len(k.published):] {
		bytes += int64(len(text)) + 64
	}
	k.published = k.texts
	return bytes
}

// members numbers whole numbers in the same way. It is a hash table with open addressing: days with tens of thousands of members
// are numbered in one go when their states are loaded.
//
// Members are hashes, and a dictionary has them in order. So at first the slot of a value is its highest bits: then memory is
// read from its beginning to its end. If too many values have nearly the same slot, because they are not hashes or because
// somebody chose them, slots are mixed at random.
type members struct {
	values    []int64  // by number
	slots     []uint32 // one more than the number of the value that is there; 0: none
	shift     uint     // a slot is the highest bits of a product
	factor    uint64
	published int
}

const (
	inOrder   = 2   // a factor: values have 63 bits
	mostSteps = 200 // from the slot of a value to where it is, before slots are mixed
)

func newMembers() *members {
	const bits = 6
	return &members{slots: make([]uint32, 1<<bits), shift: 64 - bits, factor: inOrder}
}

func (m *members) number(value int64) uint32 {
	if 2*len(m.values) >= len(m.slots) {
		m.resize(2 * len(m.slots))
	}
	at := m.slot(value)
	for steps := 0; m.slots[at] != 0; at = (at + 1) & (len(m.slots) - 1) {
		if n := m.slots[at] - 1; m.values[n] == value {
			return n
		}
		if steps++; steps > mostSteps && m.factor == inOrder {
			m.factor = inAnyOrder()
			m.resize(len(m.slots))
			return m.number(value)
		}
	}
	m.values = append(m.values, value)
	m.slots[at] = uint32(len(m.values))
	return uint32(len(m.values) - 1)
}

// reserve makes room for so many more.
func (m *members) reserve(n int) {
	size := len(m.slots)
	for size < 2*(len(m.values)+n) {
		size *= 2
	}
	if size > len(m.slots) {
		m.values = slices.Grow(m.values, n)
		m.resize(size)
	}
}

// resize gives all numbers their slots among so many.
func (m *members) resize(slots int) {
	m.shift = 64 - uint(bits.Len(uint(slots))-1)
	m.slots = make([]uint32, slots)
	for n, value := range m.values {
		at := m.slot(value)
		for m.slots[at] != 0 {
			at = (at + 1) & (slots - 1)
		}
		m.slots[at] = uint32(n + 1)
	}
}

// inAnyOrder is a factor that mixes slots at random.
func inAnyOrder() uint64 { return rand.Uint64() | 1 } //nolint:gosec // no secret

// compare orders two numbers by their values, as those without a sign.
func (m *members) compare(a, b uint32) int {
	return cmp.Compare(uint64(m.values[a]), uint64(m.values[b]))
}

func (m *members) slot(value int64) int { return int(uint64(value) * m.factor >> m.shift) }

func (m *members) publish() (bytes int64) {
	bytes = 24 * int64(len(m.values)-m.published)
	m.published = len(m.values)
	return bytes
}

// keysCalled returns the keys of these names. The caller holds the lock of w.
func (w *Shelf) keysCalled(names string) *keys {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.keys[names] == nil {
		w.keys[names] = &keys{numbers: map[string]uint32{}}
	}
	return w.keys[names]
}

// membersCalled returns the members of sets of this name. The caller holds the lock of w.
func (w *Shelf) membersCalled(name string) *members {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.members[name] == nil {
		w.members[name] = newMembers()
	}
	return w.members[name]
}
