package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// TestNotices keeps states and messages: one server leads, messages to a target are due in their order, few that are
// over stay, and nothing is left of a removed notice.
func TestNotices(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		c := newClock(noon)
		cfg.Now = c.now
		s := mustOpen(t, cfg)
		ctx := t.Context()
		site, err := s.CreateWebsite(ctx, store.Website{ID: "a", Owner: "acme", Domain: "a.example"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"one", "two"} {
			if _, err := s.PutDefinition(ctx, site.ID, store.Definition{Kind: store.NoticeDefinition, Name: name,
				Body: json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
		}
		all, err := s.Notices(ctx)
		if err != nil || len(all) != 2 || all[0].Owner != "acme" || all[0].Website != "a" {
			t.Fatalf("%+v, %v", all, err)
		}
		key := func(name string) store.NoticeKey { return store.NoticeKey{Website: "a", Kind: "notice", Name: name} }
		lead := func(holder string, want bool) {
			t.Helper()
			if got, err := s.LeadNotices(ctx, holder, time.Minute); got != want || err != nil {
				t.Fatalf("%s leads: %v, %v", holder, got, err)
			}
		}
		alone := cfg.Path != ""
		lead("x", true)
		lead("x", true)
		lead("y", alone)
		c.set(c.now().Add(time.Minute))
		lead("y", true)
		state := store.NoticeState{NoticeKey: key("one"), About: "a", State: json.RawMessage(`{"on":true}`)}
		message := func(id, name, target string) store.Delivery {
			return store.Delivery{ID: id, NoticeKey: key(name), Target: target, Shown: "x", Message: json.RawMessage(`{}`),
				Created: c.now(), Due: c.now(), Status: store.DeliveryPending}
		}
		batch := []store.Delivery{message("1", "one", "p"), message("2", "one", "p"), message("3", "one", "q"),
			message("4", "two", "p"), message("5", "gone", "p")}
		if err := s.RecordNotices(ctx, "x", []store.NoticeState{state}, batch); !errors.Is(err, store.ErrNotLeader) {
			t.Fatalf("a server that does not lead recorded: %v", err)
		}
		if states, err := s.NoticeStates(ctx); err != nil || len(states) != 0 {
			t.Fatalf("%+v, %v", states, err)
		}
		if err := s.RecordNotices(ctx, "y", []store.NoticeState{state}, batch); err != nil {
			t.Fatal(err)
		}
		states, err := s.NoticeStates(ctx)
		if diff := cmp.Diff([]store.NoticeState{state}, states); err != nil || diff != "" {
			t.Error(err, diff)
		}
		due := func(want ...string) []store.Delivery {
			t.Helper()
			found, err := s.DueDeliveries(ctx, 10)
			var ids []string
			for _, d := range found {
				ids = append(ids, d.ID)
			}
			slices.Sort(ids)
			if err != nil || !slices.Equal(ids, want) {
				t.Fatalf("%v are due, want %v: %v", ids, want, err)
			}
			return found
		}
		first := due("1", "3", "4")[0]
		first.Tries, first.Tried, first.Fault, first.Due = 1, c.now(), "refused", c.now().Add(time.Minute)
		if err := s.RecordDelivery(ctx, "x", first); !errors.Is(err, store.ErrNotLeader) {
			t.Fatal(err)
		}
		if err := s.RecordDelivery(ctx, "y", first); err != nil {
			t.Fatal(err)
		}
		due("3", "4") // 2 waits behind 1
		c.set(c.now().Add(time.Minute))
		if again := due("1", "3", "4"); again[2].Fault != "refused" && again[0].Fault != "refused" {
			t.Errorf("%+v", again)
		}
		first.Status = store.DeliveryDone
		if err := s.RecordDelivery(ctx, "y", first); err != nil {
			t.Fatal(err)
		}
		due("2", "3", "4")

		// a long history
		for i := range 3 * store.KeptDeliveries / 2 {
			d := message(fmt.Sprint("more ", i), "two", "r")
			if err := s.RecordNotices(ctx, "", nil, []store.Delivery{d}); err != nil {
				t.Fatal(err)
			}
			d.Seq, d.Status = int64(i+1), store.DeliveryFailed
			if err := s.RecordDelivery(ctx, "y", d); err != nil {
				t.Fatal(err)
			}
		}
		list, err := s.Deliveries(ctx, "a", 1000)
		if err != nil || len(list) != store.KeptDeliveries+4 || list[0].Message != nil {
			t.Fatalf("%d deliveries, %v", len(list), err)
		}

		var many []store.Delivery
		for i := range store.DuePerOwner {
			many = append(many, message(fmt.Sprint("crowd ", i), "one", fmt.Sprint("t", i)))
		}
		if err := s.RecordNotices(ctx, "", nil, many); err != nil {
			t.Fatal(err)
		}
		if found, err := s.DueDeliveries(ctx, 100); err != nil || len(found) != store.DuePerOwner {
			t.Errorf("%d messages of one owner are due, %v", len(found), err)
		}
		end := store.MailEnd{NoticeKey: key("two"), Target: "r"}
		for range 2 {
			if err := s.EndMail(ctx, end); err != nil {
				t.Fatal(err)
			}
		}
		if ends, err := s.MailEnds(ctx); err != nil || !slices.Equal(ends, []store.MailEnd{end}) {
			t.Errorf("%v, %v", ends, err)
		}
		if err := s.EndMail(ctx, store.MailEnd{NoticeKey: key("gone")}); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		if err := s.RemoveDefinition(ctx, "a", store.NoticeDefinition, "one"); err != nil {
			t.Fatal(err)
		}
		due("4")
		if states, err := s.NoticeStates(ctx); err != nil || len(states) != 0 {
			t.Errorf("%+v, %v", states, err)
		}
		if err := s.RemoveWebsite(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		due()
		list, err1 := s.Deliveries(ctx, "a", 1000)
		ends, err2 := s.MailEnds(ctx)
		if len(list)+len(ends) > 0 || errors.Join(err1, err2) != nil {
			t.Errorf("%v, %v of a removed website", list, ends)
		}
		if err := s.ResignNotices(ctx, "y"); err != nil {
			t.Fatal(err)
		}
		lead("z", true)
	})
}
