package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A receiver is a server for webhooks. It keeps the bodies that it accepted.
type receiver struct {
	*httptest.Server

	mu  sync.Mutex
	got []string // ids
	raw []string
	// answer says what to answer to the n-th request, from 0
	answer func(n int, w http.ResponseWriter, r *http.Request) int
	n      int
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func receive(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request) int) *receiver {
	t.Helper()
	rc := &receiver{answer: answer}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	rc.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		id, at := r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp")
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
		if id != "" && r.Header.Get("Webhook-Signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) {
			t.Errorf("the signature %q of %s is wrong", r.Header.Get("Webhook-Signature"), body)
		}
		rc.mu.Lock()
		n := rc.n
		rc.n++
		rc.mu.Unlock()
		status := 200
		if rc.answer != nil {
			status = rc.answer(n, w, r)
		}
		if status == 200 {
			rc.mu.Lock()
			rc.got, rc.raw = append(rc.got, id), append(rc.raw, string(body))
			rc.mu.Unlock()
		}
		if status > 0 {
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(rc.Close)
	return rc
}

func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// firsts returns the ids of messages in the order in which each arrived first. The clock runs so fast that the server
// may lose the lead while it sends: then it sends a message again.
func (r *receiver) firsts() (all []string) {
	for _, id := range r.ids() {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// queue stores messages of a notice of the shop, whose first target is an address of a webhook.
func (w *world) queue(name string, n int) []string {
	w.t.Helper()
	all, err := w.records.Notices(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for _, one := range all {
		if one.Name != name {
			continue
		}
		var body struct{ To []struct{ Webhook string } }
		if err := json.Unmarshal(one.Body, &body); err != nil {
			w.t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(body.To[0].Webhook))
		for i := range n {
			id := fmt.Sprint(name, " ", i)
			js, _ := json.Marshal(notify.Message{ID: id, Type: notify.Began, At: w.now(), Name: name, Text: "x"})
			ids = append(ids, id)
			if err := w.records.RecordNotices(w.t.Context(), "", nil, []store.Delivery{{ID: id,
				NoticeKey: one.Key(),
				Target:    fmt.Sprintf("webhook:%x", sum[:8]), Shown: "webhook", Message: js,
				Created: w.now(), Due: w.now(),
				Status: store.DeliveryPending}}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return ids
}

// hook saves a notice that goes to a webhook.
func (w *world) hook(name, address string) {
	w.save("shop", store.NoticeDefinition, name, `{"event":"backup","to":[{"webhook":"`+address+`","secret":"`+secret+`"}]}`)
}

func (w *world) fates(name string) (all []string) {
	w.t.Helper()
	list, err := w.records.Deliveries(w.t.Context(), "shop", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, d := range slices.Backward(list) {
		if d.Name == name {
			all = append(all, fmt.Sprintf("%s %d %s", d.Status, d.Tries, d.Fault))
		}
	}
	return all
}

// within waits until condition holds, while the clock runs sixty times as fast.
func (w *world) within(d time.Duration, what string, condition func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(d); !condition(); time.Sleep(10 * time.Millisecond) {
		w.set(w.now().Add(2 * time.Second))
		if time.Now().After(deadline) {
			w.t.Fatalf("not in time: %s", what)
		}
	}
}

func shop(t *testing.T) *world {
	w := newWorld(t, time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	w.site("shop", w.now())
	return w
}

// TestReceivers delivers to receivers that are down, slow, gone, and that redirect. Messages to one receiver arrive in
// their order, and none waits for another receiver.
func TestReceivers(t *testing.T) {
	w := shop(t)
	good := receive(t, nil)
	flaky := receive(t, func(n int, _ http.ResponseWriter, _ *http.Request) int {
		return []int{500, 503, 200, 429, 200, 200}[min(n, 5)]
	})
	gone := receive(t, func(int, http.ResponseWriter, *http.Request) int { return 410 })
	release := make(chan struct{})
	slow := receive(t, func(n int, _ http.ResponseWriter, r *http.Request) int {
		if n == 0 {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return 200
	})
	moved := receive(t, func(_ int, rw http.ResponseWriter, r *http.Request) int {
		http.Redirect(rw, r, good.URL, http.StatusTemporaryRedirect)
		return -1
	})
	lost := receive(t, func(_ int, rw http.ResponseWriter, r *http.Request) int {
		http.Redirect(rw, r, good.URL, http.StatusFound)
		return -1
	})
	down := receive(t, nil)
	down.Close()
	var want []string
	for name, to := range map[string]*receiver{"good": good, "flaky": flaky, "gone": gone, "slow": slow, "moved": moved,
		"lost": lost, "down": down} {
		w.hook(name, to.URL+"/"+name)
		ids := w.queue(name, 3)
		if name == "flaky" {
			want = ids
		}
	}
	w.run(w.service(notify.Options{Private: true}))
	w.within(3*time.Minute, "the flaky receiver", func() bool { return len(flaky.firsts()) == 3 })
	if got := flaky.firsts(); !slices.Equal(got, want) {
		t.Errorf("the flaky receiver got %q, want %q", got, want)
	}
	w.within(3*time.Minute, "the good receiver, and the one that moved to it", func() bool { return len(good.ids()) >= 6 })
	close(release)
	w.within(3*time.Minute, "the slow receiver", func() bool { return len(slow.ids()) >= 3 })
	w.set(w.now().Add(25 * time.Hour))
	w.within(3*time.Minute, "the end of tries", func() bool {
		return !slices.ContainsFunc(append(w.fates("down"), w.fates("lost")...), func(fate string) bool {
			return strings.HasPrefix(fate, "pending")
		})
	})
	for name, part := range map[string]string{"gone": "failed 1 the receiver answered 410 Gone", "down": "refused",
		"lost": "elsewhere", "good": "delivered 1 ", "moved": "delivered 1 "} {
		fates := w.fates(name)
		if len(fates) != 3 || slices.ContainsFunc(fates, func(f string) bool { return !strings.Contains(f, part) }) {
			t.Errorf("%s: %q, want %s", name, fates, part)
		}
		if strings.Contains(strings.Join(fates, ""), "http://") {
			t.Errorf("%s: an address is in %q", name, fates)
		}
	}
}

// TestPrivate refuses addresses that are not public, also behind a public name or a redirect.
func TestPrivate(t *testing.T) {
	w := shop(t)
	inside := receive(t, nil)
	w.hook("number", inside.URL)
	w.hook("name", strings.Replace(inside.URL, "127.0.0.1", "localhost", 1))
	w.hook("mapped", strings.Replace(inside.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1))
	for _, name := range []string{"number", "name", "mapped"} {
		w.queue(name, 1)
	}
	w.run(w.service(notify.Options{}))
	for _, name := range []string{"number", "name", "mapped"} {
		w.within(2*time.Minute, name, func() bool {
			fates := w.fates(name)
			return strings.HasPrefix(fates[0], "pending") && strings.Contains(fates[0], "the address is not public")
		})
	}
	if got := inside.ids(); len(got) > 0 {
		t.Errorf("a private address got %q", got)
	}
}

// TestForms checks that texts of senders are plain in every form.
func TestForms(t *testing.T) {
	w := shop(t)
	const nasty = "<!channel> *b* [x](http://evil.example) @everyone <b>&amp; `c` ✓"
	var at [2]string
	var got atomic.Int32
	for i, kind := range []string{"slack", "discord"} {
		var mu sync.Mutex
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			at[i] = string(body)
			got.Add(1)
		}))
		t.Cleanup(s.Close)
		w.save("shop", store.NoticeDefinition, nasty+kind, `{"event":"backup","to":[{"`+kind+`":"`+s.URL+`"}]}`)
	}
	s := w.service(notify.Options{Private: true})
	for _, kind := range []string{"slack", "discord"} {
		key := store.NoticeKey{Website: "shop", Kind: store.NoticeDefinition, Name: nasty + kind}
		if err := s.Try(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	w.run(s)
	w.within(2*time.Minute, "both", func() bool { return got.Load() == 2 })
	w.settle("shop")
	var slack struct {
		Text   string
		Blocks []struct{ Text struct{ Type, Text string } }
	}
	if err := json.Unmarshal([]byte(at[0]), &slack); err != nil || slack.Blocks[0].Text.Type != "plain_text" ||
		!strings.Contains(slack.Blocks[0].Text.Text, nasty) || strings.ContainsAny(slack.Text, "<>") {
		t.Errorf("%v: %s", err, at[0])
	}
	var discord struct {
		Content  string
		Mentions struct{ Parse []string } `json:"allowed_mentions"`
	}
	if err := json.Unmarshal([]byte(at[1]), &discord); err != nil || discord.Mentions.Parse == nil ||
		len(discord.Mentions.Parse) > 0 || !strings.Contains(discord.Content, `\*b\* \[x\]\(http`) ||
		strings.Contains(discord.Content, "://") || strings.Contains(discord.Content, " @") {
		t.Errorf("%v: %s", err, at[1])
	}
}

// TestRestarts stops servers over one database again and again, two at a time with PostgreSQL, while messages are
// delivered. Each arrives, in order; those that arrive twice have the same id.
func TestRestarts(t *testing.T) {
	for name, config := range map[string]func(w *world) meta.Config{
		"sqlite":   nil,
		"postgres": func(w *world) meta.Config { return meta.Config{DSN: pgtest.Schema(w.t)} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			servers := []*meta.Store{w.records} // a file has one server
			if config != nil {
				cfg := config(w)
				pepper, err := auth.NewPepper([]byte("a pepper of sufficient length"))
				if err != nil {
					t.Fatal(err)
				}
				cfg.Pepper = pepper
				servers = []*meta.Store{w.openRecords(cfg), w.openRecords(cfg)}
				w.records = servers[0]
				if _, err := w.records.CreateOwner(t.Context(), meta.Owner{ID: "acme"}); err != nil {
					t.Fatal(err)
				}
			}
			w.site("shop", w.now())
			to := receive(t, func(n int, _ http.ResponseWriter, _ *http.Request) int {
				time.Sleep(3 * time.Millisecond)
				if n%7 == 3 {
					return 502
				}
				return 200
			})
			w.hook("hook", to.URL)
			want := w.queue("hook", 60)
			for i := 0; ; i++ {
				stops := []func(){}
				for _, records := range servers {
					stops = append(stops, w.run(w.serviceOver(records, notify.Options{Private: true})))
				}
				time.Sleep(150 * time.Millisecond)
				w.set(w.now().Add(2 * time.Minute)) // a lease that was not given back is over
				for _, stop := range stops {
					stop()
				}
				if got := to.ids(); len(got) > 0 && got[len(got)-1] == want[len(want)-1] {
					break
				}
				if i == 200 {
					t.Fatalf("%d of %d arrived", len(to.ids()), len(want))
				}
			}
			if got := slices.Compact(to.ids()); !slices.Equal(got, want) {
				t.Errorf("arrived: %q", got)
			}
		})
	}
}

// TestEnds checks the links that end mail: they work once and again, and nobody can make one.
func TestEnds(t *testing.T) {
	w := shop(t)
	w.save("shop", store.ReportDefinition, "weekly", `{"to":["ada@shop.example"]}`)
	var mails mailbox
	s := w.service(notify.Options{Mail: &mails, URL: "https://stats.example/"})
	if err := s.Try(t.Context(), store.NoticeKey{Website: "shop", Kind: store.ReportDefinition, Name: "weekly"}); err != nil {
		t.Fatal(err)
	}
	stop := w.run(s)
	w.settle("shop")
	stop()
	link := mails.all()[0].End
	token, ok := strings.CutPrefix(link, "https://stats.example/v1/notices/end?token=")
	if !ok {
		t.Fatalf("the link is %q", link)
	}
	for _, wrong := range []string{"", "x", token[:len(token)-2], "A" + token[1:], strings.Repeat("A", 43)} {
		if err := s.End(t.Context(), wrong); wrong != token && err == nil {
			t.Errorf("the token %q is accepted", wrong)
		}
	}
	for range 2 {
		if err := s.End(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if ends, err := w.records.MailEnds(t.Context()); err != nil || len(ends) != 1 {
		t.Errorf("%v, %v", ends, err)
	}
}

// A mailbox keeps mail.
type mailbox struct {
	mu  sync.Mutex
	got []notify.Mail
}

func (m *mailbox) SendMail(_ context.Context, one notify.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got = append(m.got, one)
	return nil
}

func (m *mailbox) all() []notify.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.got)
}

// TestReport sends a report when a week is over: once, with the numbers of the week and of the same days before, and
// not to those who have ended it.
func TestReport(t *testing.T) {
	w := newWorld(t, time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)) // a Wednesday
	w.site("shop", w.now().AddDate(0, -2, 0))
	var b store.Batch
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	w.visits(&b, "shop", day(3), day(4), 8)
	w.visits(&b, "shop", day(10), day(11), 12)
	b.Events[0].Path = "/<b>&"
	w.write(&b)
	w.save("shop", store.ReportDefinition, "weekly", `{"to":["ada@shop.example","bob@shop.example"],"zone":"Europe/Berlin"}`)
	var mails mailbox
	s := w.service(notify.Options{Mail: &mails, URL: "https://stats.example", Panel: "https://stats.example/panel/"})
	for range 8 * 24 {
		if err := s.Evaluate(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.set(w.now().Add(time.Hour))
	}
	if err := s.Evaluate(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop := w.run(s)
	w.settle("shop")
	stop()
	got := mails.all()
	if len(got) != 2 {
		t.Fatalf("%d mails: %+v", len(got), got)
	}
	for _, part := range []string{"Shop, 2026-11-09 to 2026-11-15, compared with 2026-11-02 to 2026-11-08.", "Summary metrics",
		"Pageviews", "+50.0 %", "https://stats.example/panel/", "No more of this mail: https://stats.example/v1/notices/end"} {
		if !strings.Contains(got[0].Text, part) {
			t.Errorf("the text lacks %q:\n%s", part, got[0].Text)
		}
	}
	if html := got[0].HTML; strings.Contains(html, "<b>") || !strings.Contains(html, "<td") ||
		!strings.Contains(html, "Top pages") {
		t.Errorf("the HTML is %s", html)
	}
	if got[0].Subject != "Shop: weekly" || got[0].To == got[1].To || got[0].End == got[1].End {
		t.Errorf("%+v", got)
	}
	_, token, _ := strings.Cut(got[0].End, "token=")
	if err := s.End(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	w.set(w.now().AddDate(0, 0, 7))
	if err := s.Evaluate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.run(s)
	w.settle("shop")
	if after := mails.all(); len(after) != 3 || after[2].To == got[0].To {
		t.Errorf("after an end: %d mails", len(after))
	}
}
