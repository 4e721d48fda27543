package flags

import (
	"context"
	"slices"
	"sync"
)

// A workingSet is a set that an Editor changes, with the sizes of its records. With these sizes, the time of a
// change depends on the size of the change and not on the size of the set.
type workingSet struct {
	Set
	size  int              // size of all records in bytes of JSON
	sizes map[recordID]int // size of each record in bytes of JSON
}

// recordID identifies a flag or a group of a set.
type recordID struct {
	group bool
	id    string
}

func flagID(id string) recordID  { return recordID{id: id} }
func groupID(id string) recordID { return recordID{group: true, id: id} }

func newWorkingSet(s Set) *workingSet {
	w := &workingSet{Set: s, sizes: map[recordID]int{}}
	w.measure(s.Flags, s.Groups)
	return w
}

// measure records the sizes of new or changed records.
func (w *workingSet) measure(flags []Flag, groups []Group) {
	for i := range flags {
		w.resize(flagID(flags[i].ID), sizeOf(&flags[i]))
	}
	for i := range groups {
		w.resize(groupID(groups[i].ID), sizeOf(&groups[i]))
	}
}

func (w *workingSet) resize(id recordID, size int) {
	w.size += size - w.sizes[id]
	if w.sizes[id] = size; size == 0 {
		delete(w.sizes, id)
	}
}

// checkSize adds a fault if the set would be too large with record instead of the record with this id.
func (w *workingSet) checkSize(id recordID, record any, faults *FieldErrors) {
	if n := w.size - w.sizes[id] + sizeOf(record); n > MaxSet {
		faults.addf("clientId", "may have flags and groups of at most %d bytes as JSON, not %d", MaxSet, n)
	}
}

// apply changes w to the set after c.
func (w *workingSet) apply(c Commit) {
	w.measure(c.Flags, c.Groups)
	for _, id := range c.DropFlags {
		w.resize(flagID(id), 0)
	}
	for _, id := range c.DropGroups {
		w.resize(groupID(id), 0)
	}
	w.Set.apply(c)
}

// load returns the current set of client from the cache or the store. No other goroutine uses the returned set.
func (e *Editor) load(ctx context.Context, client Client) (*workingSet, error) {
	if w := e.sets.take(client); w != nil {
		found, err := e.cfg.Store.Revisions(ctx, []Client{client})
		if err != nil || found[client] == w.Revision {
			return w, err
		}
	}
	set, err := e.cfg.Store.Load(ctx, client)
	if err != nil {
		return nil, err
	}
	return newWorkingSet(set), nil
}

// A setCache holds the sets that were changed most recently: at most maxCached sets, with at most maxCachedBytes
// of JSON together.
type setCache struct {
	mu   sync.Mutex
	sets []*workingSet // in the order of their last change, the newest last
}

const (
	maxCached      = 64
	maxCachedBytes = 2 * MaxSet
)

// take removes the set of client from the cache and returns it, or nil if the cache does not have it.
func (c *setCache) take(client Client) *workingSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.sets, func(w *workingSet) bool { return w.Client == client })
	if i < 0 {
		return nil
	}
	w := c.sets[i]
	c.sets = slices.Delete(c.sets, i, i+1)
	return w
}

// put adds w to the cache. It replaces another set of the same client.
func (c *setCache) put(w *workingSet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sets = append(slices.DeleteFunc(c.sets, func(old *workingSet) bool { return old.Client == w.Client }), w)
	size := 0
	for _, one := range c.sets {
		size += one.size
	}
	for len(c.sets) > maxCached || size > maxCachedBytes {
		size -= c.sets[0].size
		c.sets = slices.Delete(c.sets, 0, 1)
	}
}
