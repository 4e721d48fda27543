package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// An auditQuestion is a decoded request for entries of the audit trail.
type auditQuestion struct {
	query audit.Query
	after auditMark // the last entry of the page before; zero on the first page
}

// An auditMark is the place of an entry in addresses. A position of package audit has the entry's number among the
// entries of all owners, which would tell how much others do. The hash of a position hides the number, because a
// position also has the random name of a chain.
type auditMark struct {
	at   time.Time
	hash string
}

func markOf(p audit.Position) auditMark {
	sum := sha256.Sum256([]byte(p.String()))
	return auditMark{p.Time, base64.RawURLEncoding.EncodeToString(sum[:16])}
}

// String returns m as text for parseMark.
func (m auditMark) String() string { return strconv.FormatInt(m.at.UnixMilli(), 10) + "." + m.hash }

func parseMark(text string) (auditMark, error) {
	at, hash, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || hash == "" {
		return auditMark{}, errors.New("must be the value of next of the page before")
	}
	return auditMark{time.UnixMilli(ms).UTC(), hash}, nil
}

// resume makes q.query begin after q.after, or after its instant if the entry was pruned.
func (a *api) resume(ctx context.Context, q *auditQuestion) error {
	if q.after == (auditMark{}) {
		return nil
	}
	look := q.query
	look.From, look.To, look.Limit = q.after.at, q.after.at.Add(time.Millisecond), audit.MaxFind
	for {
		page, err := a.cfg.Trail.Find(ctx, look)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if p := (audit.Position{Time: r.Entry.Time, Writer: r.Writer, Seq: r.Seq}); markOf(p).hash == q.after.hash {
				q.query.After = &p
				return nil
			}
		}
		if look.After = page.Next; look.After == nil {
			break
		}
	}
	if q.query.To.IsZero() || q.query.To.After(q.after.at) {
		q.query.To = q.after.at
	}
	return nil
}

// auditRecord is an entry of the audit trail in responses.
type auditRecord struct {
	Time      health.Time    `json:"time"`
	RequestID string         `json:"requestId"`
	KeyID     string         `json:"keyId"`
	Start     string         `json:"start"` // of the secret
	Token     string         `json:"token"` // the id of a panel token; empty if the key itself was sent
	Subject   string         `json:"subject"`
	Method    string         `json:"method"`
	Route     string         `json:"route"`
	Resource  *auth.Resource `json:"resource"` // null: the request is about no single resource
	Scope     auth.Scope     `json:"scope"`
	Outcome   string         `json:"outcome"`
	Status    int            `json:"status"`
	IP        string         `json:"ip"`
	UserAgent string         `json:"userAgent"`
	Count     int            `json:"count"` // requests that the entry stands for
}

func auditRecordOf(e auth.Entry) auditRecord {
	r := auditRecord{
		Time: health.Time{Time: e.Time}, RequestID: e.RequestID, KeyID: e.KeyID, Start: e.Start, Token: e.Token,
		Subject: e.Subject, Method: e.Method, Route: e.Route,
		Scope: e.Scope, Outcome: e.Outcome, Status: e.Status, IP: e.IP, UserAgent: e.UserAgent, Count: max(1, e.Count),
	}
	if e.Resource.ID != "" {
		r.Resource = &e.Resource
	}
	return r
}

// allowAudit checks that the caller may read the audit trail of its owner.
func (a *api) allowAudit(_ context.Context, r *front.Request, _ *auditQuestion) error {
	return permit(r, r.Route.May,
		"needs an API key that reaches everything of its owner and has no filters, because "+
			"the audit trail names every resource")
}

// readAudit decodes the URL.
func (a *api) readAudit(_ context.Context, r *front.Request, q *auditQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	bad := unknown(values, "key", "from", "to", "limit", "after")
	q.query.Owner = r.Key().Owner
	bad = append(bad, each(values, "key", func(text string) error {
		q.query.Key = text
		return nil
	})...)
	bad = append(bad, each(values, "from", instantText(&q.query.From))...)
	bad = append(bad, each(values, "to", instantText(&q.query.To))...)
	bad = append(bad, readLimit(values, &q.query.Limit, audit.MaxFind)...)
	bad = append(bad, each(values, "after", func(text string) (err error) {
		q.after, err = parseMark(text)
		return err
	})...)
	return bad.Err()
}

// each calls read with the value of a parameter that may be given once. Its error is the message of a mistake.
func each(values url.Values, name string, read func(string) error) mistake.List {
	text, bad := single(values, name)
	if len(bad) > 0 || !values.Has(name) {
		return bad
	}
	if err := read(text); err != nil {
		return mistake.List{{Field: name, Message: err.Error()}}
	}
	return nil
}

func instantText(to *time.Time) func(string) error {
	return func(text string) (err error) {
		if *to, err = time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("must be an instant such as 2027-01-31T00:00:00Z, not %s", shortened(text))
		}
		return nil
	}
}

// listAudit answers with a page of entries, newest first.
func (a *api) listAudit(ctx context.Context, _ *front.Request, q *auditQuestion) (*front.Answer, error) {
	if err := a.resume(ctx, q); err != nil {
		return nil, err
	}
	page, err := a.cfg.Trail.Find(ctx, q.query)
	if err != nil {
		return nil, err
	}
	body := struct {
		Success bool          `json:"success"`
		Entries []auditRecord `json:"entries"`
		Next    *string       `json:"next"` // null on the last page
	}{Success: true, Entries: []auditRecord{}}
	for _, one := range page.Records {
		body.Entries = append(body.Entries, auditRecordOf(one.Entry))
	}
	if page.Next != nil {
		body.Next = new(markOf(*page.Next).String())
	}
	return front.JSON(body)
}
