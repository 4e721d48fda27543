package partial

import "math/rand/v2"

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

// publish lets others see all texts, and tells about how many bytes the new ones take.
func (k *keys) publish() (bytes int64) {
	for _, text := range k.texts[len(k.published):] {
		bytes += int64(len(text)) + 64
	}
	k.published = k.texts
	return bytes
}

// members numbers whole numbers in the same way. It is a hash table with open addressing: days with tens of
// thousands of members are numbered in one go when what is stored of them is loaded.
type members struct {
	values    []int64  // by number
	slots     []uint32 // one more than the number of the value that is there; 0: none
	shift     uint     // a slot is what is left of a product's bits
	factor    uint64   // random and odd, so that nobody can choose values that share a slot
	published int
}

func newMembers() *members {
	const bits = 6
	return &members{slots: make([]uint32, 1<<bits), shift: 64 - bits, factor: rand.Uint64() | 1} //nolint:gosec // no secret
}

func (m *members) number(value int64) uint32 {
	if 2*len(m.values) >= len(m.slots) {
		m.grow()
	}
	at := m.slot(value)
	for ; m.slots[at] != 0; at = (at + 1) & (len(m.slots) - 1) {
		if n := m.slots[at] - 1; m.values[n] == value {
			return n
		}
	}
	m.values = append(m.values, value)
	m.slots[at] = uint32(len(m.values))
	return uint32(len(m.values) - 1)
}

// numberAll numbers values, as number does. It looks where each may be before it looks at any, so that the
// processor waits for memory once for many.
func (m *members) numberAll(values []int64) []uint32 {
	const many = 64
	numbers := make([]uint32, len(values))
	var there [many]uint32
	var known [many]int64
	for from := 0; from < len(values); from += many {
		some := values[from:min(from+many, len(values))]
		for i, value := range some {
			there[i] = m.slots[m.slot(value)]
		}
		if len(m.values) > 0 {
			for i := range some {
				known[i] = m.values[max(there[i], 1)-1]
			}
		}
		for i, value := range some {
			if there[i] > 0 && known[i] == value {
				numbers[from+i] = there[i] - 1
			} else {
				numbers[from+i] = m.number(value)
			}
		}
	}
	return numbers
}

func (m *members) slot(value int64) int { return int(uint64(value) * m.factor >> m.shift) }

func (m *members) grow() {
	m.shift--
	m.slots = make([]uint32, 2*len(m.slots))
	for n, value := range m.values {
		at := m.slot(value)
		for m.slots[at] != 0 {
			at = (at + 1) & (len(m.slots) - 1)
		}
		m.slots[at] = uint32(n + 1)
	}
}

func (m *members) publish() (bytes int64) {
	bytes = 24 * int64(len(m.values)-m.published)
	m.published = len(m.values)
	return bytes
}

// keysCalled are the keys of these names, for who adds.
func (w *Website) keysCalled(names string) *keys {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.keys[names] == nil {
		w.keys[names] = &keys{numbers: map[string]uint32{}}
	}
	return w.keys[names]
}

// membersCalled are the members of sets of this name, for who adds.
func (w *Website) membersCalled(name string) *members {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.members[name] == nil {
		w.members[name] = newMembers()
	}
	return w.members[name]
}
