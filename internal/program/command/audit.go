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
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

type listAudit struct {
	records

	Key   string   `placeholder:"ID" help:"Only uses of the key with this id."`
	Owner string   `placeholder:"ID" help:"Only uses of keys of this owner."`
	Since instant  `placeholder:"WHEN" help:"First time to show: a UTC day, an instant, or a duration before now such as 24h."`
	Until instant  `placeholder:"WHEN" help:"Show only entries before this day or instant."`
	Limit int      `default:"100" help:"Maximum number of entries, up to 1000."`
	After position `placeholder:"PLACE" help:"Continue after this place, from the output of the previous page."`
}

// A position is the end of a page of entries. Its zero value means the first page.
type position struct{ at *audit.Position }

func (p *position) UnmarshalText(text []byte) error {
	at, err := audit.ParsePosition(string(text))
	p.at = &at
	return err
}

func (*listAudit) Help() string {
	return `Entries appear about a second after the use of a key. If there are more than --limit, the value for --after is printed to stderr, or with --json as "next". Entries for unknown secrets have no key id; with --json they have the start of the secret.`
}

func (l *listAudit) Validate() error {
	q := audit.Query{Limit: l.Limit}
	if _, err := q.Size(); err != nil || l.Limit == 0 {
		return fmt.Errorf("--limit must be from 1 to 1000, not %d", l.Limit)
	}
	return nil
}

func (l *listAudit) Run(ctx context.Context, e environment) error {
	q := audit.Query{
		Key: l.Key, Owner: l.Owner, From: l.Since.before(e.now()), To: l.Until.before(e.now()), Limit: l.Limit,
		After: l.After.at,
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
			Next    *string     `json:"next"` // null: this is the last page
		}{entries, next})
	}
	err := table(e.out, entries)
	if next != nil {
		_, more := fmt.Fprintf(e.errs, "For more entries add --after %s\n", *next)
		err = errors.Join(err, more)
	}
	return err
}

// entryView shows an entry of the audit trail.
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
	Subject   string         `json:"subject"`  // the host's customer that has the token
	Requests  int            `json:"requests"` // number of uses in this entry
	Chain     string         `json:"chain"`
	Number    int64          `json:"number"` // in its chain
}

func viewEntry(r audit.Record) entryView {
	e := r.Entry
	v := entryView{
		Time: e.Time, Outcome: e.Outcome, Status: e.Status, Method: e.Method, Route: e.Route,
		Key: e.KeyID, Start: e.Start, Owner: e.Owner, Scope: e.Scope, IP: e.IP, UserAgent: e.UserAgent,
		RequestID: e.RequestID, Token: e.Token, Subject: e.Subject, Requests: max(e.Count, 1), Chain: r.Writer,
		Number: r.Seq,
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
		{"TIME", at(v.Time)}, {"OUTCOME", v.Outcome}, {"STATUS", strconv.Itoa(v.Status)}, {"METHOD", v.Method},
		{"ROUTE", v.Route},
		{"RESOURCE", resource}, {"KEY", v.Key}, {"SECRET", secret}, {"OWNER", v.Owner}, {"IP", v.IP},
		{"FOR", v.Subject}, {"REQUESTS", strconv.Itoa(v.Requests)},
	}
}

type verifyAudit struct {
	records
	pepperFlags

	Heads string `placeholder:"FILE" help:"File with a copy of the audit heads. Default: the file in the data folder, if it exists."`
}

func (*verifyAudit) Help() string {
	return `The command reads the whole trail, also while servers run. It reports entries that were changed, deleted, inserted or moved, and an end that was cut off (exit status 3). It also compares the trail with the heads that servers store in the data folder: they reveal a deleted chain and an old trail that was restored. For independent proof, copy that file regularly to a place where users with write access to the database cannot change it, and name the copy with --heads.`
}

// Run verifies the trail. It returns a damageError if there is damage.
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
	return v.with(ctx, e, pepper, func(m *meta.Store) error {
		found, err := audit.Verify(ctx, m.Audit(), pepper, known...)
		if err != nil {
			return err
		}
		return v.judge(e, found, len(known))
	})
}

// knownHeads reads the stored heads, without heads of entries that retention may have deleted.
func (v *verifyAudit) knownHeads(e environment) ([]audit.Checkpoint, error) {
	file := v.Heads
	if file == "" {
		file = filepath.Join(v.Data, install.HeadsFile)
	}
	heads, err := install.ReadHeads(file)
	if errors.Is(err, fs.ErrNotExist) && v.Heads == "" {
		_, err := fmt.Fprintf(e.errs,
			"%s does not exist, so the command cannot detect a deleted chain or a restored old trail.\n", file)
		return nil, err
	}
	return mapped(heads.Live(e.now()), func(h install.Head) audit.Checkpoint { return h.Checkpoint }), err
}

// verdict shows a report.
type verdict struct {
	OK       bool        `json:"ok"`
	Entries  int64       `json:"entries"`
	Heads    int         `json:"heads"` // number of stored heads that were compared
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
	return []cell{{"CHAIN", c.Chain}, {"FIRST", strconv.FormatInt(c.First, 10)},
		{"LAST", strconv.FormatInt(c.Last, 10)}}
}

type problem struct {
	Chain string `json:"chain"` // empty: unknown, or all
	First int64  `json:"first"` // 0: no entry in particular
	Last  int64  `json:"last"`
	Text  string `json:"text"`
}

// judge shows the report found.
func (v *verifyAudit) judge(e environment, found audit.Report, heads int) error {
	shown := verdict{
		OK: found.Total == 0, Entries: found.Entries, Heads: heads, Total: found.Total,
		Chains: mapped(found.Chains, func(s audit.Span) chainView { return chainView{s.Writer, s.First, s.Last} }),
		Problems: mapped(found.Problems,
			func(p audit.Problem) problem { return problem{p.Writer, p.Seq, p.Last, p.String()} }),
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
		_, failed := fmt.Fprintln(e.out, clean("damage: "+p.Text))
		err = errors.Join(err, failed)
	}
	if v.OK {
		_, failed := fmt.Fprintf(e.out, "verified: %d entries are unchanged\n", v.Entries)
		err = errors.Join(err, failed)
	}
	return err
}

// A damageError reports problems of the audit trail.
type damageError struct{ problems int64 }

func (d *damageError) Error() string {
	return fmt.Sprintf("the audit trail is damaged: %d problems", d.problems)
}
