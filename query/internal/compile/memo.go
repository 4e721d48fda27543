package compile

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// memoBytes bounds the statements that an engine remembers. Built-in types compile to 2 to 20 kB.
const memoBytes = 16 << 20

// A Compiled plan has its statement, which fits any subject, and facts about it.
type Compiled struct {
	Statement store.Statement
	labels    []label  // which the statement leaves out
	further   int      // columns at the end that only labels are made of
	keyArgs   []keyArg // of a plan OfKeys
}

// A keyArg is the argument of a statement that the values of a key are bound to.
type keyArg struct {
	arg int
	key plan.KeyOf
}

// keyArgs finds them, and gives them a list without values until there are some.
func keyArgs(s *store.Statement) (found []keyArg) {
	for i := range s.Args {
		if key, ok := s.Args[i].Value.(plan.KeyOf); ok {
			found = append(found, keyArg{i, key})
			s.Args[i].Value = []string{}
		}
	}
	return found
}

// A Memo compiles plans for one dialect and remembers their statements.
type Memo struct {
	dialect *dialect.Dialect
	known   *lru.Cache[string, *Compiled]
}

// NewMemo returns a memo that remembers nothing yet.
func NewMemo(d *dialect.Dialect) *Memo { return &Memo{d, lru.New[string, *Compiled](memoBytes)} }

// Statement returns the statement of p, which has that key. It compiles p unless it remembers an equal plan. The
// statement reads the seals of kept.
func (m *Memo) Statement(p *plan.Plan, key []byte, kept days.Sealed) *Compiled {
	if p.ByClock() {
		return compile(p, m.dialect, kept)
	}
	all := string(kept.AppendKey(key[:len(key):len(key)]))
	found, ok := m.known.Get(all)
	if !ok {
		found = compile(p, m.dialect, kept)
		m.known.Add(all, found, int64(len(all))+found.size())
	}
	return found
}

// Of is the statement about the subject of p, which has the key of the plan that was compiled, and, of another period,
// about the rows whose keys are among these.
func (c *Compiled) Of(p *plan.Plan, among [][]string) store.Statement {
	statement := c.Statement
	statement.Args = slices.Clone(c.Statement.Args)
	for i := range statement.Args {
		if arg := &statement.Args[i]; arg.Kind == dialect.Subject && p.Websites == nil {
			arg.Value = p.Subject
		}
	}
	if among != nil {
		for _, k := range c.keyArgs {
			statement.Args[k.arg].Value = among[k.key]
		}
	}
	return statement
}

// Show turns the result of the statement into the rows of the plan: it writes the labels, and drops columns that only
// labels need.
func (c *Compiled) Show(rows *store.Rows) {
	for _, l := range c.labels {
		l.write(rows)
	}
	rows.Columns = rows.Columns[:max(0, len(rows.Columns)-c.further)]
}

// size is about how many bytes c takes.
func (c *Compiled) size() int64 {
	const fixed, value = 500, 16
	size := fixed + len(c.Statement.SQL) + len(c.Statement.Kinds)
	for _, arg := range c.Statement.Args {
		size += 4 * value
		switch list := arg.Value.(type) {
		case string:
			size += len(list)
		case []int64:
			size += value / 2 * len(list)
		case []string:
			for _, s := range list {
				size += value + len(s)
			}
		}
	}
	return int64(size)
}

// Statements returns the statements of p and of the period that it is compared with, or nil. They read the seals of
// kept. A fault of a host's type fails its parameter alone.
func (m *Memo) Statements(p *plan.Parameter, kept func(*plan.Plan) days.Sealed) (own, beside *Compiled, err error) {
	defer failure.Recovered(&err)
	own = m.Statement(p.Plan, p.Key, kept(p.Plan))
	if p.Plan.Other != nil {
		other := p.Plan.Other.Plan
		beside = m.Statement(other, other.AppendKey(nil), kept(other))
	}
	return own, beside, nil
}

// Fingerprints tells types apart that are called alike, in other versions of the program or of a host's definitions.
// The function that it returns gives a hash for each type of reg, made when it is first asked for, and for a choice the
// hash of its dataset. It is empty for a type that cannot be compiled, which has no answers; log gets the fault once.
func Fingerprints(reg *catalog.Registry, d *dialect.Dialect, log *slog.Logger) func(*catalog.BoundType) string {
	once := func(name string, types func() ([]*catalog.BoundType, error)) func() string {
		return sync.OnceValue(func() string {
			all, err := types()
			hashes := ""
			for _, ty := range all {
				hash, fault := fingerprint(ty, d)
				hashes, err = hashes+hash, errors.Join(err, fault)
			}
			if err != nil {
				log.Error("query: a panic was recovered", "while", "compiling the fingerprint of "+name, "error", err)
				return ""
			}
			return hashes
		})
	}
	types, datasets := map[*catalog.BoundType]func() string{}, map[string]func() string{}
	for _, ty := range reg.All() {
		types[ty] = once(ty.Name, func() ([]*catalog.BoundType, error) { return []*catalog.BoundType{ty}, nil })
		if s := ty.Several; s != nil {
			types[s] = once(s.Name+" of several", func() ([]*catalog.BoundType, error) {
				return []*catalog.BoundType{s}, nil
			})
		}
	}
	for _, name := range catalog.AllDatasets() {
		datasets[name] = once("the dataset "+name,
			func() ([]*catalog.BoundType, error) { return reg.Widest(catalog.DatasetNamed(name)) })
	}
	return func(ty *catalog.BoundType) string {
		if ty.Choice != nil {
			return datasets[ty.Choice.Dataset.Name]()
		}
		return types[ty]()
	}
}

// someBehaviour has everything that goals, funnels, retention and paths may ask about.
func someBehaviour() *plan.Behaviour {
	path := "/x"
	page := plan.Action{Kind: store.Pageview,
		Text: plan.ConditionOn(catalog.FieldNamed("path"), ask.Filter{Op: ask.Eq, Values: []string{path}})}
	return &plan.Behaviour{
		Goals: []plan.Goal{{Name: "x", Action: page, Value: "x"}},
		Steps: []plan.FunnelStep{{Name: "x", Action: page}, {Name: "y", Action: page}},
		Start: &page, Return: &page, From: &path, To: &path,
	}
}

// fingerprint returns a hash of the columns of ty and of its statements: alone, and in all groups with all filters. It
// returns an error for a type that cannot be compiled.
func fingerprint(ty *catalog.BoundType, d *dialect.Dialect) (hash string, err error) {
	defer failure.Recovered(&err)
	const someDay = 20_000
	bare := &plan.Plan{Type: ty, Subject: store.Subject{Kind: ty.Subject, ID: "x"}, Sort: ty.Steps,
		Limit: ask.DefaultLimit,
		Range: calendar.Days(someDay, someDay, time.UTC)}
	bare.Until, bare.Now = bare.Range.To, bare.Range.To
	if len(ty.Needs)+len(ty.MayHave) > 0 {
		bare.Behaviour = someBehaviour()
	}
	full := *bare
	full.Keyed = ty.Comparable() && ty.Shape == catalog.Breakdown
	for _, name := range ty.Groupable {
		full.Group = append(full.Group, ty.Fields[name])
	}
	if ty.Choice != nil {
		full.Group = ty.Choice.Fields
	}
	for _, name := range ty.Filterable {
		for _, op := range ask.TextOperators() {
			full.Filters = append(full.Filters,
				plan.ConditionOn(ty.Fields[name], ask.Filter{Field: name, Op: op, Values: []string{"x"}}))
		}
	}
	sum := sha256.New()
	for _, p := range []*plan.Plan{bare, &full} {
		c := compile(p, d, days.Sealed{})
		_, _ = fmt.Fprintf(sum, "%+v\n%+v\n", p.Columns(), *c)
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]), nil
}
