package queue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/queue"
)

// of returns a batch of an owner and a sender, written as owner/sender.
func of(name string) *store.Batch {
	owner, sender, _ := strings.Cut(name, "/")
	return &store.Batch{Owner: owner, Sender: sender}
}

func order(q *queue.Queue[string]) (all []string) {
	for {
		w, ok := q.Next()
		if !ok {
			return all
		}
		all = append(all, w)
	}
}

func TestOwnersAndTheirSendersTakeTurns(t *testing.T) {
	for _, row := range []struct {
		name  string
		added []string
		want  string
	}{
		{"nothing", nil, ""},
		{"one sender", []string{"a/1", "a/1", "a/1"}, "a/1#0 a/1#1 a/1#2"},
		{"senders of an owner", []string{"a/1", "a/1", "a/1", "a/2", "a/3", "a/2"},
			"a/1#0 a/2#3 a/3#4 a/1#1 a/2#5 a/1#2"},
		{"an owner with many senders and one with one", []string{"a/1", "a/2", "a/3", "a/4", "b/1", "b/1"},
			"a/1#0 b/1#4 a/2#1 b/1#5 a/3#2 a/4#3"},
		{"senders of the same name", []string{"a/1", "a/1", "b/1"}, "a/1#0 b/1#2 a/1#1"},
		{"without owners", []string{"/1", "/1", "/2"}, "/1#0 /2#2 /1#1"},
	} {
		q := queue.New[string]()
		for i, name := range row.added {
			q.Add(of(name), fmt.Sprintf("%s#%d", name, i))
		}
		if diff := cmp.Diff(row.want, strings.Join(order(q), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestAWriteIsRemovedOnce(t *testing.T) {
	q := queue.New[string]()
	for _, name := range []string{"a/1", "a/2", "b/1"} {
		q.Add(of(name), name)
	}
	for _, row := range []struct {
		name string
		want bool
	}{{"a/1", true}, {"a/1", false}, {"b/1", true}, {"b/1", false}, {"c/1", false}} {
		if got := q.Remove(of(row.name), row.name); got != row.want {
			t.Errorf("Remove(%s) is %t", row.name, got)
		}
	}
	if got := order(q); len(got) != 1 || got[0] != "a/2" {
		t.Errorf("%q are left, want a/2", got)
	}
}

func TestReadySignalsWaitingWrites(t *testing.T) {
	q := queue.New[string]()
	ready := func() bool {
		select {
		case <-q.Ready:
			return true
		default:
			return false
		}
	}
	if q.Again(); ready() {
		t.Error("an empty queue is ready")
	}
	q.Add(of("a/1"), "a")
	q.Add(of("a/1"), "b")
	if !ready() || ready() {
		t.Error("two writes signal not once")
	}
	if q.Again(); !ready() {
		t.Error("Again does not signal writes that wait")
	}
}
