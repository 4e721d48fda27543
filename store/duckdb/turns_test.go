//go:build cgo

package duckdb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/queue"
)

func TestSendersTakeTurns(t *testing.T) {
	t.Parallel()
	heavy := strings.Repeat("x", 128*groupWeight)
	w := &writer{store: &Store{queue: queue.New[*write]()}}
	add := func(owner, sender, properties string) {
		one := &write{batch: &store.Batch{Owner: owner, Sender: sender,
			Events: []store.Event{{Properties: properties}}}}
		w.store.queue.Add(one.batch, one)
	}
	for i := range 3 {
		add("flood", string(rune('1'+i)), heavy) // three senders of one owner
	}
	add("shop", "s", "")
	add("blog", "b", "")
	add("shop", "s", "")
	var groups []string
	for group := w.gather(); group != nil; group = w.gather() {
		var senders []string
		for _, one := range group {
			senders = append(senders, one.batch.Sender)
		}
		groups = append(groups, strings.Join(senders, " "))
	}
	if diff := cmp.Diff([]string{"1", "s b 2", "s 3"}, groups); diff != "" {
		t.Errorf("senders of the groups (-want +got):\n%s", diff)
	}
}
