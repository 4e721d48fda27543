//go:build cgo

package duckdb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestSendersTakeTurns(t *testing.T) {
	t.Parallel()
	heavy := strings.Repeat("x", 128*groupWeight)
	w := &writer{store: &Store{queue: newQueue()}}
	add := func(sender, properties string) *write {
		one := &write{batch: &store.Batch{Sender: sender, Events: []store.Event{{Properties: properties}}}}
		w.store.queue.add(one)
		return one
	}
	groups := func() (all []string) {
		for group := w.gather(); group != nil; group = w.gather() {
			var senders []string
			for _, one := range group {
				senders = append(senders, one.batch.Sender)
			}
			all = append(all, strings.Join(senders, " "))
		}
		return all
	}
	for range 3 {
		add("flood", heavy)
	}
	gone := add("flood", "")
	add("shop", "")
	add("blog", "")
	add("shop", "")
	if !w.store.queue.remove(gone) || w.store.queue.remove(gone) {
		t.Error("remove must return true for a waiting write, and false afterwards")
	}
	if diff := cmp.Diff([]string{"flood", "shop blog flood", "shop flood"}, groups()); diff != "" {
		t.Errorf("senders of the groups (-want +got):\n%s", diff)
	}
	if len(w.store.queue.waiting) != 0 || len(w.store.queue.turns) != 0 {
		t.Errorf("the empty queue has writes %v and turns %v, want none", w.store.queue.waiting, w.store.queue.turns)
	}
}
