//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store/meta"
)

const auditVerifyHelp = `It reads all of the trail, beside running servers too, and names entries that were altered,
removed, inserted or moved, an end that was cut off, and chains that are gone. A trail that
was put back as a whole shows by the heads that servers keep apart: by default those of the
data folder. Who wants proof copies that file where nobody who can write to the trail can.
It ends with 3 when it found damage.`

// damageError says that the audit trail is not as it was written.
type damageError struct{ problems int64 }

func (d *damageError) Error() string {
	return fmt.Sprintf("the audit trail was damaged: %d problems", d.problems)
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

type problem struct {
	Chain string `json:"chain"` // empty: unknown, or all
	First int64  `json:"first"` // 0: no entry in particular
	Last  int64  `json:"last"`
	Text  string `json:"text"`
}

func verifyAudit(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("audit verify", to)
	set.StringVar(&r.pepperFile, "pepper-file", "", pepperHelp)
	file := set.String("heads", "", "`file` with heads that were kept apart; without it that of the data folder, when there is one")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if err := r.needData(); err != nil {
		return err
	}
	known, err := r.knownHeads(*file)
	if err != nil {
		return err
	}
	pepper, err := r.pepper(ctx)
	if err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		found, err := audit.Verify(ctx, m.Audit(), pepper, known...)
		if err != nil {
			return err
		}
		return r.judge(found, len(known))
	})
}

// knownHeads reads the heads that were kept apart, leaving out what retention may have
// removed.
func (r *records) knownHeads(file string) ([]audit.Mark, error) {
	named := file != ""
	if !named {
		file = filepath.Join(r.dir, headsFile)
	}
	note, err := readHeads(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		_, err := fmt.Fprintf(r.to.err, "There is no %s: a trail that was put back as a whole would not show.\n", file)
		return nil, err
	}
	return views(note.live(r.now()), func(h headNote) audit.Mark { return h.Mark }), err
}

// judge shows what was found. Its error is a damageError when that is damage.
func (r *records) judge(found audit.Report, heads int) error {
	v := verdict{OK: found.Total == 0, Entries: found.Entries, Heads: heads, Total: found.Total}
	v.Chains = views(found.Chains, func(s audit.Span) chainView { return chainView{s.Writer, s.First, s.Last} })
	v.Problems = views(found.Problems, func(p audit.Problem) problem {
		return problem{p.Writer, p.Seq, p.Last, p.String()}
	})
	show := r.tellVerdict
	if r.json {
		show = func(v verdict) error { return writeJSON(r.to.out, v) }
	}
	if err := show(v); err != nil {
		return err
	}
	if !v.OK {
		return &damageError{v.Total}
	}
	return nil
}

func (r *records) tellVerdict(v verdict) error {
	err := table(r.to.out, []column[chainView]{
		{"CHAIN", func(c chainView) string { return c.Chain }},
		{"FIRST", func(c chainView) string { return strconv.FormatInt(c.First, 10) }},
		{"LAST", func(c chainView) string { return strconv.FormatInt(c.Last, 10) }},
	}, v.Chains)
	for _, p := range v.Problems {
		_, told := fmt.Fprintln(r.to.out, clean("damage: "+p.Text))
		err = errors.Join(err, told)
	}
	if v.OK {
		_, told := io.WriteString(r.to.out, fmt.Sprintf("verified: %d entries are as they were written\n", v.Entries))
		err = errors.Join(err, told)
	}
	return err
}
