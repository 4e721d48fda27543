package state

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// A Numbering numbers the keys and the members of sets of one subject. Numbers that were published may be read while
// one goroutine numbers more.
type Numbering struct {
	mu      sync.Mutex        // guards the maps, and what is published
	texts   map[string]*Texts // by what they are called; those of keys, and of text sets
	members map[string]*Members
}

// NewNumbering returns a numbering without numbers.
func NewNumbering() *Numbering {
	return &Numbering{texts: map[string]*Texts{}, members: map[string]*Members{}}
}

// TextsOf returns the texts with a name, to number more of them.
func (n *Numbering) TextsOf(name string) *Texts {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.texts[name] == nil {
		n.texts[name] = &Texts{numbers: map[string]uint32{}}
	}
	return n.texts[name]
}

// MembersOf returns the members of the sets with a name, to number more of them.
func (n *Numbering) MembersOf(name string) *Members {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.members[name] == nil {
		n.members[name] = newMembers()
	}
	return n.members[name]
}

// Publish lets other goroutines see the numbers that partials of these aggregates and keys need. It returns about how
// many bytes the new numbers take.
func (n *Numbering) Publish(aggregates []Aggregate, keyNames string) (bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := n.texts[keyNames]; k != nil {
		bytes += k.publish()
	}
	for _, a := range aggregates {
		switch a.Kind {
		case Set:
			bytes += n.members[a.Members].publish()
		case TextSet:
			bytes += n.texts[a.Members].publish()
		}
	}
	return bytes
}

// Keys returns the published keys of these names, by number. The result must not be changed.
func (n *Numbering) Keys(names string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := n.texts[names]; k != nil {
		return k.published
	}
	return nil
}

// Members returns how many published members all sets of that kind and name have.
func (n *Numbering) Members(kind Kind, name string) int {
	if kind == TextSet {
		return len(n.Keys(name))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if m := n.members[name]; m != nil {
		return m.published
	}
	return 0
}

// Texts numbers texts: 0, 1, 2 and so on, in the order in which they came up. Only one goroutine at a time may use it.
type Texts struct {
	numbers   map[string]uint32
	texts     []string // by number
	published []string
}

// NumberBytes returns the number of a text that is given as bytes. It copies the text only if it is new.
func (k *Texts) NumberBytes(text []byte) uint32 {
	if n, ok := k.numbers[string(text)]; ok {
		return n
	}
	return k.Number(string(text))
}

// Number returns the number of a text.
func (k *Texts) Number(text string) uint32 {
	n, ok := k.numbers[text]
	if !ok {
		n = uint32(len(k.texts))
		k.numbers[text] = n
		k.texts = append(k.texts, text)
	}
	return n
}

// Text returns the text with a number.
func (k *Texts) Text(number uint32) string { return k.texts[number] }

// Compare orders two numbers by their texts.
func (k *Texts) Compare(a, b uint32) int { return cmp.Compare(k.texts[a], k.texts[b]) }

// publish lets other goroutines see all texts, and returns about how many bytes the new ones take.
func (k *Texts) publish() (bytes int64) {
	for _, text := range k.texts[len(k.published):] {
		bytes += int64(len(text)) + 64
	}
	k.published = k.texts
	return bytes
}

// Members numbers whole numbers in the same way. It is a hash table with open addressing: days with tens of thousands
// of members are numbered in one go when their states are loaded.
//
// Members are hashes, and a dictionary has them in order. So at first the slot of a value is its highest bits: then
// memory is read from its beginning to its end. If too many values have nearly the same slot, because they are not
// hashes or because somebody chose them, slots are mixed at random.
type Members struct {
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

func newMembers() *Members {
	const bits = 6
	return &Members{slots: make([]uint32, 1<<bits), shift: 64 - bits, factor: inOrder}
}

// Number returns the number of a value.
func (m *Members) Number(value int64) uint32 {
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
			return m.Number(value)
		}
	}
	m.values = append(m.values, value)
	m.slots[at] = uint32(len(m.values))
	return uint32(len(m.values) - 1)
}

// Reserve makes room for so many more.
func (m *Members) Reserve(n int) {
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
func (m *Members) resize(slots int) {
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

// Value returns the value with a number.
func (m *Members) Value(number uint32) int64 { return m.values[number] }

// Compare orders two numbers by their values, as numbers without a sign.
func (m *Members) Compare(a, b uint32) int {
	return cmp.Compare(uint64(m.values[a]), uint64(m.values[b]))
}

func (m *Members) slot(value int64) int { return int(uint64(value) * m.factor >> m.shift) }

func (m *Members) publish() (bytes int64) {
	bytes = 24 * int64(len(m.values)-m.published)
	m.published = len(m.values)
	return bytes
}

// A Dictionary is the members of all sets with one name on a day, by their places in the stored dictionary.
type Dictionary struct {
	ID      uint64
	Numbers []uint32 // by place
}

// Size is about how many bytes d takes.
func (d *Dictionary) Size() int64 { return 128 + 4*int64(len(d.Numbers)) }
