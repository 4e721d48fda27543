package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
)

// The bounds of a try.
const (
	dialTimeout  = 5 * time.Second
	tryTimeout   = 15 * time.Second
	maxResponse  = 64 << 10 // bytes of an answer that are read
	maxRedirects = 3
)

// A statusError is an answer of a receiver that does not accept a message.
type statusError struct {
	status int
	after  time.Duration // that the receiver asks for; 0: nothing
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the receiver answered %d %s", e.status, http.StatusText(e.status))
}

// Is reports that a receiver that is gone wants no message.
func (e *statusError) Is(target error) bool { return target == ErrGone && e.status == http.StatusGone }

var errRedirect = errors.New("the receiver sends messages elsewhere, in a way that would drop them")

// newClient returns the client of webhooks. It uses no proxy, which would dial in its place.
func newClient(private bool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{DialContext: dialer(private).DialContext, TLSHandshakeTimeout: dialTimeout,
			MaxIdleConnsPerHost: 1, MaxIdleConns: 64, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: maxResponse,
			ForceAttemptHTTP2: true},
		CheckRedirect: func(r *http.Request, before []*http.Request) error {
			if r.Method != http.MethodPost || len(before) > maxRedirects {
				return errRedirect
			}
			return nil
		},
	}
}

// post sends body to an address. sign may be nil.
func post(ctx context.Context, client *http.Client, address string, body []byte, sign func(http.Header)) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Sightline")
	if sign != nil {
		sign(r.Header)
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()                           // the status is known
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxResponse)) // so that the connection is used again
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return &statusError{answer.StatusCode, time.Duration(min(max(seconds, 0), 86400)) * time.Second}
	}
	return nil
}

// signature returns what sets the headers of Standard Webhooks.
func signature(key []byte, id string, now time.Time, body []byte) func(http.Header) {
	return func(h http.Header) {
		at := strconv.FormatInt(now.Unix(), 10)
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, at, body) // never fails
		h.Set("Webhook-Id", id)
		h.Set("Webhook-Timestamp", at)
		h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
}

// send makes one try to deliver m to t.
func (s *Service) send(ctx context.Context, t *notice.Target, m *Message) error {
	kind, address := t.Kind()
	switch kind {
	case notice.ToEmail:
		if s.cfg.Mail == nil {
			return errNoMail
		}
		mail, err := mailOf(m, address)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, mailTimeout)
		defer cancel()
		return s.cfg.Mail.SendMail(ctx, mail)
	case notice.ToHost:
		if s.cfg.Sender == nil {
			return errNoSender
		}
		ctx, cancel := context.WithTimeout(ctx, tryTimeout)
		defer cancel()
		return s.cfg.Sender.Send(ctx, address, *m)
	}
	form := map[notice.TargetKind]func(*Message) ([]byte, error){notice.ToWebhook: payload, notice.ToSlack: slack,
		notice.ToDiscord: discord}[kind]
	if form == nil {
		return errRemoved
	}
	body, err := form(m)
	if err != nil {
		return err
	}
	var sign func(http.Header)
	if kind == notice.ToWebhook {
		sign = signature(t.SigningKey(), m.ID, s.cfg.Now(), body)
	}
	return post(ctx, s.client, address, body, sign)
}
