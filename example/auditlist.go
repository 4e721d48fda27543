//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store/meta"
)

const auditListHelp = `An entry is there about a second after the use. When there are more than --limit, what to
go on with is written to stderr, or with --json as "next". Refused uses of what is no key
have no key; the start of the secret is in --json.`

// entryView is an entry as the commands show it.
type entryView struct {
	Time      time.Time      `json:"time"`
	Outcome   string         `json:"outcome"`
	Status    int            `json:"status"`
	Method    string         `json:"method"`
	Route     string         `json:"route"`
	Key       string         `json:"key"`
	Start     string         `json:"start"` // of the secret
	Owner     string         `json:"owner"`
	Resource  *auth.Resource `json:"resource"` // null: none
	Scope     auth.Scope     `json:"scope"`
	IP        string         `json:"ip"`
	UserAgent string         `json:"userAgent"`
	RequestID string         `json:"requestId"`
	Chain     string         `json:"chain"`
	Number    int64          `json:"number"` // in its chain
}

func viewEntry(r audit.Record) entryView {
	e := r.Entry
	v := entryView{
		Time: e.Time, Outcome: e.Outcome, Status: e.Status, Method: e.Method, Route: e.Route,
		Key: e.KeyID, Start: e.Start, Owner: e.Owner, Scope: e.Scope, IP: e.IP, UserAgent: e.UserAgent,
		RequestID: e.RequestID, Chain: r.Writer, Number: r.Seq,
	}
	if e.Resource.ID != "" {
		v.Resource = &e.Resource
	}
	return v
}

func entryColumns() []column[entryView] {
	return []column[entryView]{
		{"TIME", func(e entryView) string { return at(e.Time) }},
		{"OUTCOME", func(e entryView) string { return e.Outcome }},
		{"STATUS", func(e entryView) string { return strconv.Itoa(e.Status) }},
		{"METHOD", func(e entryView) string { return e.Method }},
		{"ROUTE", func(e entryView) string { return e.Route }},
		{"RESOURCE", func(e entryView) string {
			if e.Resource == nil {
				return ""
			}
			return resourceText(*e.Resource)
		}},
		{"KEY", func(e entryView) string { return e.Key }},
		{"SECRET", func(e entryView) string {
			if e.Start == "" {
				return ""
			}
			return e.Start + "…"
		}},
		{"OWNER", func(e entryView) string { return e.Owner }},
		{"IP", func(e entryView) string { return e.IP }},
	}
}

func listAudit(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("audit list", to)
	var q audit.Query
	set.StringVar(&q.Key, "key", "", "`id` of the key; without it any")
	set.StringVar(&q.Owner, "owner", "", "`id` of the key's owner; without it any")
	instant := func(into *time.Time) func(string) error {
		return func(text string) (err error) {
			*into, err = parseInstant(text, r.now(), true)
			return err
		}
	}
	set.Func("since", "`when` to begin: a UTC day, an instant, or a length of time before now, as 24h", instant(&q.From))
	set.Func("until", "`when` to end: the first day or instant that is left out", instant(&q.To))
	set.IntVar(&q.Limit, "limit", 100, "`entries` at most, up to 1000")
	set.Func("after", "go on after a `place` that the page before gave", func(text string) error {
		p, err := audit.ParsePosition(text)
		q.After = &p
		return err
	})
	if err := parse(set, args, to); err != nil {
		return err
	}
	if _, err := q.Size(); err != nil || q.Limit == 0 {
		return &usageError{set.Name(), fmt.Errorf("--limit %d is not from 1 to 1000", q.Limit)}
	}
	return r.list(ctx, func(m *meta.Store) error {
		page, err := m.Audit().Find(ctx, q)
		if err != nil {
			return err
		}
		return r.showPage(page)
	})
}

func (r *records) showPage(page audit.Page) error {
	entries := views(page.Records, viewEntry)
	var next *string
	if page.Next != nil {
		place := page.Next.String()
		next = &place
	}
	if r.json {
		return writeJSON(r.to.out, struct {
			Entries []entryView `json:"entries"`
			Next    *string     `json:"next"` // null: there is no more
		}{entries, next})
	}
	err := table(r.to.out, entryColumns(), entries)
	if next != nil {
		_, more := fmt.Fprintf(r.to.err, "There is more: the same command with --after %s\n", *next)
		err = errors.Join(err, more)
	}
	return err
}
