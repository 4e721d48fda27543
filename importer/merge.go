package importer

import (
	"container/heap"
	"context"
	"errors"
	"slices"
)

// maxOpen is the number of files that are open at a time, without those in memory. If more than these overlap in
// time, the others wait, and the sessions of their visitors may be counted once more.
const maxOpen = 400

// maxHeld is the number of bytes of small sources that are held in memory, so that they need not be opened twice.
const maxHeld = 64 << 20

// A merge reads streams in the order of time: from each the next record, and of these the earliest. So the requests
// of a visitor are read in their order, whatever source they stand in. Streams whose first records are later are
// not open yet.
type merge struct {
	waiting []*stream // by the times of their first records
	active  byTime
	open    int // number of active streams whose files are open
}

// byTime is a heap of streams, with the one of the earliest record first.
type byTime []*stream

func (b byTime) Len() int { return len(b) }
func (b byTime) Less(i, j int) bool {
	if c := b[i].at.Compare(b[j].at); c != 0 {
		return c < 0
	}
	return b[i].index < b[j].index
}
func (b byTime) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *byTime) Push(x any)   { *b = append(*b, x.(*stream)) } //nolint:forcetypeassert // of this heap
func (b *byTime) Pop() any {
	last := len(*b) - 1
	s := (*b)[last]
	*b = (*b)[:last]
	return s
}

// newMerge returns a merge of prepared streams. Those without a time come first.
func newMerge(streams []*stream) *merge {
	slices.SortStableFunc(streams, func(a, b *stream) int { return a.first.Compare(b.first) })
	return &merge{waiting: streams}
}

// run takes all records.
func (m *merge) run(ctx context.Context) error {
	for {
		if err := m.activate(ctx); err != nil {
			return err
		}
		if len(m.active) == 0 {
			return nil
		}
		s := m.active[0]
		if err := s.take(ctx); err != nil {
			return err
		}
		more, err := s.next(ctx)
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&m.active, 0)
			continue
		}
		heap.Pop(&m.active)
		m.open -= s.files()
		s.sourceEnded()
	}
}

// activate opens the streams that may have the earliest record.
func (m *merge) activate(ctx context.Context) error {
	for len(m.waiting) > 0 && m.open < maxOpen && (len(m.active) == 0 || !m.waiting[0].first.After(m.active[0].at)) {
		s := m.waiting[0]
		m.waiting = m.waiting[1:]
		if !s.open() {
			s.sourceEnded()
			continue
		}
		more, err := s.next(ctx)
		if err != nil {
			return errors.Join(err, s.close())
		}
		if more {
			heap.Push(&m.active, s)
			m.open += s.files()
		} else {
			s.sourceEnded()
		}
	}
	return nil
}

// files returns the number of files that s has open.
func (s *stream) files() int {
	if s.in == nil || s.in.held {
		return 0
	}
	return 1
}

// close closes all streams.
func (m *merge) close() {
	for _, s := range slices.Concat(m.waiting, m.active) {
		_ = s.close() // only read
	}
}
