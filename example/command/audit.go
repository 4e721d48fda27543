//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/example/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

type listAudit struct {
	records

	Key   string   `placeholder:"ID" help:"Id of the key; without it any."`
	Owner string   `placeholder:"ID" help:"Id of the key's owner; without it any."`
	Since instant  `placeholder:"WHEN" help:"When to begin: a UTC day, an instant, or a length of time before now, as 24h."`
	Until instant  `placeholder:"WHEN" help:"When to end: the first day or instant that is left out."`
	Limit int      `default:"100" help:"Entries at most, up to 1000."`
	After position `placeholder:"PLACE" help:"Go on after a place that the page before gave."`
}

// A position is where a page of entries ends. The zero one is none.
type position struct{ at *audit.Position }

func (p *position) UnmarshalText(text []byte) error {
	at, err := audit.ParsePosition(string(text))
	p.at = &at
	return err
}

func (*listAudit) Help() string {
	return `An entry is there about a second after the use. When there are more than --limit, what to go on with is written to stderr, or with --json as "next". Refused uses of what is no key have no key; the start of the secret is in --json.`
}

func (l *listAudit) Validate() error {
	q := audit.Query{Limit: l.Limit}
	if _, err := q.Size(); err != nil || l.Limit == 0 {
		return fmt.Errorf("--limit %d is not from 1 to 1000", l.Limit)
	}
	return nil
}

func (l *listAudit) Run(ctx context.Context, e environment) error {
	q := audit.Query{
		Key: l.Key, Owner: l.Owner, From: l.Since.before(e.now()), To: l.Until.before(e.now()), Limit: l.Limit, After: l.After.at,
	}
	return l.read(ctx, e, func(m *meta.Store) error {
		page, err := m.Audit().Find(ctx, q)
		if err != nil {
			return err
		}
		return l.show(e, page)
	})
}

func (l *listAudit) show(e environment, page audit.Page) error {
	entries := mapped(page.Records, viewEntry)
	var next *string
	if page.Next != nil {
		place := page.Next.String()
		next = &place
	}
	if l.JSON {
		return writeJSON(e.out, struct {
			Entries []entryView `json:"entries"`
			Next    *string     `json:"next"` // null: there is no more
		}{entries, next})
	}
	err := table(e.out, entries)
	if next != nil {
		_, more := fmt.Fprintf(e.errs, "There is more: the same command with --after %s\n", *next)
		err = errors.Join(err, more)
	}
	return err
}

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
	Token     string         `json:"token"`    // id of the panel token; empty: the key itself
	Subject   string         `json:"subject"`  // whom the host minted the token for
	Requests  int            `json:"requests"` // that the entry stands for
	Chain     string         `json:"chain"`
	Number    int64          `json:"number"` // in its chain
}

func viewEntry(r audit.Record) entryView {
	e := r.Entry
	v := entryView{
		Time: e.Time, Outcome: e.Outcome, Status: e.Status, Method: e.Method, Route: e.Route,
		Key: e.KeyID, Start: e.Start, Owner: e.Owner, Scope: e.Scope, IP: e.IP, UserAgent: e.UserAgent,
		RequestID: e.RequestID, Token: e.Token, Subject: e.Subject, Requests: max(e.Count, 1), Chain: r.Writer, Number: r.Seq,
	}
	if e.Resource.ID != "" {
		v.Resource = &e.Resource
	}
	return v
}

func (v entryView) cells() []cell {
	resource, secret := "", ""
	if v.Resource != nil {
		resource = resourceText(*v.Resource)
	}
	if v.Start != "" {
		secret = v.Start + "…"
	}
	return []cell{
		{"TIME", at(v.Time)}, {"OUTCOME", v.Outcome}, {"STATUS", strconv.Itoa(v.Status)}, {"METHOD", v.Method}, {"ROUTE", v.Route},
		{"RESOURCE", resource}, {"KEY", v.Key}, {"SECRET", secret}, {"OWNER", v.Owner}, {"IP", v.IP},
		{"FOR", v.Subject}, {"REQUESTS", strconv.Itoa(v.Requests)},
	}
}

type verifyAudit struct {
	records
	pepperFlags

	Heads string `placeholder:"FILE" help:"File with heads that were kept apart; without it that of the data folder, when there is one."`
}

func (*verifyAudit) Help() string {
	return `It reads all of the trail, beside running servers too, and names entries that were altered, removed, inserted or moved, and an end that was cut off. A chain that is gone with its head, and a trail that was put back as a whole, show by the heads that servers keep apart: by default those of the data folder. Who wants proof copies that file where nobody who can write to the trail can. It ends with 3 when it found damage.`
}

// Run verifies. Its error is a damageError when there is damage.
func (v *verifyAudit) Run(ctx context.Context, e environment) error {
	if err := v.needData(); err != nil {
		return err
	}
	known, err := v.knownHeads(e)
	if err != nil {
		return err
	}
	pepper, err := v.pepper(ctx, e, v.PepperFile)
	if err != nil {
		return err
	}
	return v.read(ctx, e, func(m *meta.Store) error {
		found, err := audit.Verify(ctx, m.Audit(), pepper, known...)
		if err != nil {
			return err
		}
		return v.judge(e, found, len(known))
	})
}

// knownHeads reads the heads that were kept apart, leaving out what retention may have
// removed.
func (v *verifyAudit) knownHeads(e environment) ([]audit.Checkpoint, error) {
	file := v.Heads
	if file == "" {
		file = filepath.Join(v.Data, install.HeadsFile)
	}
	heads, err := install.ReadHeads(file)
	if errors.Is(err, fs.ErrNotExist) && v.Heads == "" {
		_, err := fmt.Fprintf(e.errs, "There is no %s: a chain that is gone, or a trail that was put back, would not show.\n", file)
		return nil, err
	}
	return mapped(heads.Live(e.now()), func(h install.Head) audit.Checkpoint { return h.Checkpoint }), err
}

// verdict is a report as the command shows it.
type verdict struct {
	OK       bool        `json:"ok"`
	Entries  int64       `json:"entries"`
	Heads    int         `json:"heads"` // kept apart, that it was held against
	Chains   []chainView `json:"chains"`
	Problems []problem   `json:"problems"` // the first thousand
	Total    int64       `json:"total"`    // of problems
}

type chainView struct {
	Chain string `json:"chain"`
	First int64  `json:"first"`
	Last  int64  `json:"last"` // less than first: no entries
}

func (c chainView) cells() []cell {
	return []cell{{"CHAIN", c.Chain}, {"FIRST", strconv.FormatInt(c.First, 10)}, {"LAST", strconv.FormatInt(c.Last, 10)}}
}

type problem struct {
	Chain string `json:"chain"` // empty: unknown, or all
	First int64  `json:"first"` // 0: no entry in particular
	Last  int64  `json:"last"`
	Text  string `json:"text"`
}

// judge shows what was found.
func (v *verifyAudit) judge(e environment, found audit.Report, heads int) error {
	shown := verdict{
		OK: found.Total == 0, Entries: found.Entries, Heads: heads, Total: found.Total,
		Chains:   mapped(found.Chains, func(s audit.Span) chainView { return chainView{s.Writer, s.First, s.Last} }),
		Problems: mapped(found.Problems, func(p audit.Problem) problem { return problem{p.Writer, p.Seq, p.Last, p.String()} }),
	}
	write := shown.write
	if v.JSON {
		write = func(e environment) error { return writeJSON(e.out, shown) }
	}
	if err := write(e); err != nil {
		return err
	}
	if !shown.OK {
		return &damageError{shown.Total}
	}
	return nil
}

func (v verdict) write(e environment) error {
	err := table(e.out, v.Chains)
	for _, p := range v.Problems {
		_, told := fmt.Fprintln(e.out, clean("damage: "+p.Text))
		err = errors.Join(err, told)
	}
	if v.OK {
		_, told := fmt.Fprintf(e.out, "verified: %d entries are as they were written\n", v.Entries)
		err = errors.Join(err, told)
	}
	return err
}

// A damageError says that the audit trail is not as it was written.
type damageError struct{ problems int64 }

func (d *damageError) Error() string {
	return fmt.Sprintf("the audit trail was damaged: %d problems", d.problems)
}
