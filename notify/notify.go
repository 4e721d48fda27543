// Package notify tells people what they want to hear without looking. A [Service] evaluates the notices and reports
// that are saved for websites, and delivers their messages: to webhooks, to Slack and Discord, by mail, and by a sender
// of the host. See docs/notices.md.
//
// A message is stored in the same transaction as the change that it tells, and stays until it is delivered. So each
// change is reported at least once, even if the server is killed, and usually exactly once.
package notify

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Options are the settings of a Service that a host chooses. The zero value is useful: it delivers to webhooks.
type Options struct {
	// Sender delivers to the targets {"host": "…"} of notices. Nil: such messages are tried for a day, and fail.
	Sender Sender
	// Mail delivers mail; package notify/mail has one. Nil: as for Sender.
	Mail Mailer
	// Private allows webhooks to reach addresses that are not public, such as this machine's.
	Private bool
	// URL is the address of the API as people and mail programs reach it, such as https://stats.example. Mail has links
	// there that end it with one click. Empty: it has none.
	URL string
	// Panel is the address of the panel, to which messages link. Empty: they have no link.
	Panel string
	// Off evaluates and delivers nothing. Notices can be saved all the same.
	Off bool
}

// Config configures New.
type Config struct {
	Store     store.NoticeStore // required
	Engine    *query.Engine     // required
	Directory store.Directory   // required
	// Subjects lists monitors. Nil: notices about them never hold.
	Subjects store.SubjectLister
	// Usage counts the events of websites with a quota. Nil: notices about quotas never hold.
	Usage Usage
	// Health reports the backup. Nil: notices about it never hold.
	Health *health.Checker
	// EndKey signs the links that end mail. Processes with the same key accept the links of each other. Nil: mail has
	// no such links.
	EndKey []byte
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil means no log

	Options
}

// Usage counts stored events; see track.Usage.
type Usage interface {
	Events(ctx context.Context, website string, from, to time.Time) (int64, error)
}

// The times of the work in the background.
const (
	evaluateEvery = time.Minute
	leaseTime     = time.Minute
	renewAfter    = leaseTime / 3
	recordTimeout = 10 * time.Second
	knownFor      = 5 * time.Second // the definitions that deliveries use
)

// A Service evaluates notices and delivers messages while Run runs. It is safe for concurrent use. Of several services
// over one store, one works at a time.
type Service struct {
	cfg    Config
	holder string // of the lease
	client *http.Client
	wake   chan struct{}
	counts counts

	mu       sync.Mutex
	leads    bool
	renewed  time.Time
	sending  map[string]bool // ids of messages
	known    *definitions
	readAt   time.Time // of known
	leadTurn int       // grows when the lead begins

	round round // of Evaluate
}

// New returns a service. Its error joins all faults of cfg.
func New(cfg Config) (*Service, error) {
	var faults []error
	for _, part := range []struct {
		name    string
		missing bool
	}{{"Store", cfg.Store == nil}, {"Engine", cfg.Engine == nil}, {"Directory", cfg.Directory == nil}} {
		if part.missing {
			faults = append(faults, fmt.Errorf("notify: Config.%s is required", part.name))
		}
	}
	for _, one := range []struct{ name, address string }{{"URL", cfg.URL}, {"Panel", cfg.Panel}} {
		u, err := url.Parse(one.address)
		if one.address != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			faults = append(faults, fmt.Errorf("notify: Config.%s must begin with https:// or http://", one.name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.URL = strings.TrimSuffix(cfg.URL, "/")
	return &Service{cfg: cfg, holder: rand.Text(), client: newClient(cfg.Private), wake: make(chan struct{}, 1),
		sending: map[string]bool{}}, nil
}

// Run evaluates and delivers until ctx ends. Then it lets another server do so.
func (s *Service) Run(ctx context.Context) {
	if s.cfg.Off {
		<-ctx.Done()
		return
	}
	var work sync.WaitGroup
	work.Go(func() { s.deliver(ctx) })
	s.evaluate(ctx)
	work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	s.mu.Lock()
	led := s.leads
	s.leads = false
	s.mu.Unlock()
	if !led {
		return
	}
	if err := s.cfg.Store.ResignNotices(ctx, s.holder); err != nil {
		s.failed("another server delivers notices only after a minute", err)
	}
}

// evaluate evaluates every minute until ctx ends.
func (s *Service) evaluate(ctx context.Context) {
	due := time.NewTicker(evaluateEvery)
	defer due.Stop()
	for {
		if err := s.Evaluate(ctx); err != nil && ctx.Err() == nil {
			s.failed("notices could not be evaluated", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		}
	}
}

// failed logs a failure of work in the background, which is tried again.
func (s *Service) failed(what string, err error) {
	s.counts.failed()
	s.cfg.Logger.LogAttrs(context.Background(), slog.LevelError, what, slog.Any("error", err))
}

// lead reports whether this server works. It renews its lease when a third of it is over.
func (s *Service) lead(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.cfg.Now()
	if s.leads && now.Sub(s.renewed) < renewAfter && !now.Before(s.renewed) {
		return true, nil
	}
	leads, err := s.cfg.Store.LeadNotices(ctx, s.holder, leaseTime)
	if leads && !s.leads {
		s.leadTurn++
	}
	s.leads, s.renewed = leads && err == nil, now
	return s.leads, err
}

// turn returns a number that differs for each time that the server began to lead.
func (s *Service) turn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leadTurn
}

// resign makes the server read the states again.
func (s *Service) resign() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leads = false
}

// definitions are all notices and reports that can be read.
type definitions struct {
	of    map[store.NoticeKey]*definition
	ended map[store.MailEnd]bool
}

// A definition is a notice or a report, decoded.
type definition struct {
	store.Notice
	notice *notice.Notice // or
	report *notice.Report
	rule   string
	to     []notice.Target
	// question is the same text for notices that ask the same
	question string
}

// definitions returns what is saved, at most some seconds old. What has not changed is not decoded again.
func (s *Service) definitions(ctx context.Context) (*definitions, error) {
	s.mu.Lock()
	before, at := s.known, s.readAt
	s.mu.Unlock()
	now := s.cfg.Now()
	if before != nil && now.Sub(at) < knownFor && !now.Before(at) {
		return before, nil
	}
	all, err := s.cfg.Store.Notices(ctx)
	if err != nil {
		return nil, err
	}
	ends, err := s.cfg.Store.MailEnds(ctx)
	if err != nil {
		return nil, err
	}
	known := &definitions{of: make(map[store.NoticeKey]*definition, len(all)), ended: map[store.MailEnd]bool{}}
	for _, one := range all {
		var old *definition
		if before != nil {
			old = before.of[one.Key()]
		}
		if d := decode(one, old); d != nil {
			known.of[one.Key()] = d
		}
	}
	for _, end := range ends {
		known.ended[end] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.readAt = known, now
	return known, nil
}

// decode returns nil for what cannot be read, which a newer version may have saved.
func decode(one store.Notice, old *definition) *definition {
	if old != nil && string(old.Body) == string(one.Body) {
		again := *old
		again.Notice = one
		return &again
	}
	d := &definition{Notice: one, rule: notice.RuleOf(&one.Definition)}
	if one.Kind == store.ReportDefinition {
		r, bad := notice.ParseReport(&one.Definition)
		if bad != nil {
			return nil
		}
		d.report = r
		for _, address := range r.To {
			d.to = append(d.to, notice.Target{Email: address})
		}
		return d
	}
	n, bad := notice.Parse(&one.Definition)
	if bad != nil {
		return nil
	}
	d.notice, d.to = n, n.To
	req := n.Request()
	if req.Parameters = []query.Parameter{n.Asks()}; n.Event == "" {
		js, err := json.Marshal(req)
		if err != nil {
			return nil // impossible, because it was read from JSON
		}
		d.question = fmt.Sprint(n.Metric, " ", n.ByHour(), " ", n.Unusual, " ", string(js))
	}
	return d
}

// messages returns a message of d to each of its targets.
func (s *Service) messages(d *definition, ended map[store.MailEnd]bool, m Message) ([]store.Delivery, error) {
	now := s.cfg.Now().UTC().Truncate(time.Millisecond)
	m.At, m.Name, m.Link = now, d.Name, s.cfg.Panel
	var all []store.Delivery
	for i := range d.to {
		t := &d.to[i]
		end := store.MailEnd{NoticeKey: d.Key(), Target: t.Key()}
		if ended[end] && m.Type != Test {
			continue
		}
		m.ID, m.End = "msg_"+strings.ToLower(rand.Text()), ""
		if kind, _ := t.Kind(); kind == notice.ToEmail {
			m.End = s.endLink(end)
		}
		js, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		all = append(all, store.Delivery{ID: m.ID, NoticeKey: d.Key(), Target: t.Key(), Shown: t.Shown(), Message: js,
			Created: now, Due: now, Status: store.DeliveryPending})
	}
	return all, nil
}

// Try sends a message that says that it is a test to all targets of a notice or report. Its error wraps
// store.ErrNotFound if there is none.
func (s *Service) Try(ctx context.Context, key store.NoticeKey) error {
	s.mu.Lock()
	s.readAt = time.Time{} // it may just have been saved
	s.mu.Unlock()
	known, err := s.definitions(ctx)
	if err != nil {
		return err
	}
	d := known.of[key]
	if d == nil {
		return store.ErrNotFound
	}
	site, err := s.cfg.Directory.Website(ctx, d.Website)
	if err != nil {
		return err
	}
	all, err := s.messages(d, known.ended, Message{Type: Test, Website: site.ID, Site: site.Name,
		Text: fmt.Sprintf("This is a test of the %s %s of %s.", d.Kind, d.Name, site.Name)})
	if err != nil {
		return err
	}
	defer s.poke()
	return s.cfg.Store.RecordNotices(ctx, "", nil, all)
}

// Deliveries returns the last messages of the notices and reports of a website, the newest first.
func (s *Service) Deliveries(ctx context.Context, website string, limit int) ([]store.Delivery, error) {
	return s.cfg.Store.Deliveries(ctx, website, limit)
}

// EndPath is the path of links that end mail, below Options.URL.
const EndPath = "/v1/notices/end"

// endLink returns the address that ends mail, or "".
func (s *Service) endLink(end store.MailEnd) string {
	if s.cfg.URL == "" || s.cfg.EndKey == nil {
		return ""
	}
	js, _ := json.Marshal([]string{end.Website, string(end.Kind), end.Name, end.Target}) // strings always can
	return s.cfg.URL + EndPath + "?token=" + base64.RawURLEncoding.EncodeToString(append(s.mac(js), js...))
}

func (s *Service) mac(js []byte) []byte {
	mac := hmac.New(sha256.New, s.cfg.EndKey)
	_, _ = mac.Write(js) // never fails
	return mac.Sum(nil)
}

// End ends the mail that a token of a link is about. Its error wraps store.ErrNotFound if the token is invalid, or if
// the notice or report does not exist any more.
func (s *Service) End(ctx context.Context, token string) error {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < sha256.Size || s.cfg.EndKey == nil {
		return store.ErrNotFound
	}
	js := raw[sha256.Size:]
	var parts []string
	if !hmac.Equal(raw[:sha256.Size], s.mac(js)) || json.Unmarshal(js, &parts) != nil || len(parts) != 4 {
		return store.ErrNotFound
	}
	return s.cfg.Store.EndMail(ctx, store.MailEnd{NoticeKey: store.NoticeKey{Website: parts[0],
		Kind: store.DefinitionKind(parts[1]), Name: parts[2]}, Target: parts[3]})
}
