package authtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// loot is what somebody who can write to a log has in hand.
type loot struct {
	dice    *rand.Rand
	state   audit.State
	records []audit.Record // by chain and number
}

// damage changes a loot and returns the places that a report must name, as chain and
// number; the number 0 stands for the chain itself, and an empty chain for the roster.
type damage struct {
	what string
	do   func(*loot) []audit.Problem
}

func place(writer string, seq int64) []audit.Problem {
	return []audit.Problem{{Writer: writer, Seq: seq}}
}

func damages() []damage {
	return slices.Concat(removals(), forgeries(), chainDamages(), alterations())
}

// removals take entries away.
func removals() []damage {
	return []damage{
		{"an entry removed", func(l *loot) []audit.Problem {
			i := l.pick()
			r := l.records[i]
			l.records = slices.Delete(l.records, i, i+1)
			return place(r.Writer, r.Seq)
		}},
		{"a stretch removed", func(l *loot) []audit.Problem {
			i := l.pick()
			r := l.records[i]
			last := i + 1 + l.dice.IntN(l.after(i)+1)
			named := append(place(r.Writer, r.Seq), place(r.Writer, l.records[last-1].Seq)...)
			l.records = slices.Delete(l.records, i, last)
			return named
		}},
		{"the end cut off", func(l *loot) []audit.Problem {
			i := l.pick()
			r := l.records[i]
			l.records = slices.Delete(l.records, i, i+1+l.after(i))
			return place(r.Writer, r.Seq)
		}},
		{"the end cut off and the head put back without its seal", func(l *loot) []audit.Problem {
			i := l.pick()
			r := l.records[i]
			l.records = slices.Delete(l.records, i+1, i+1+l.after(i))
			c := l.chain(r.Writer)
			seal := c.Head.Seal
			c.Head = audit.Mark{Writer: r.Writer, Seq: r.Seq, MAC: r.MAC, Seal: seal}
			if l.dice.IntN(2) == 0 {
				c.Head.Seal = r.MAC
			}
			if c.Head.Seal == seal && l.sealed(r) { // it was the head
				c.Head.MAC[3] ^= 1
			}
			return place(r.Writer, r.Seq)
		}},
		{"the beginning removed and a cut put there", func(l *loot) []audit.Problem {
			i := l.pick()
			r := l.records[i]
			first := i - int(r.Seq-1)
			l.records = slices.Delete(l.records, first, i+1)
			c := l.chain(r.Writer)
			c.Cut = c.Head
			c.Cut.Seq, c.Cut.MAC = r.Seq, r.MAC
			return place(r.Writer, r.Seq)
		}},
	}
}

// forgeries put entries where they do not belong.
func forgeries() []damage {
	return []damage{
		{"two entries exchanged", func(l *loot) []audit.Problem {
			i, j := l.pick(), l.pick()
			for j == i {
				j = l.pick()
			}
			a, b := &l.records[i], &l.records[j]
			a.Entry, b.Entry, a.MAC, b.MAC = b.Entry, a.Entry, b.MAC, a.MAC
			return append(place(a.Writer, a.Seq), place(b.Writer, b.Seq)...)
		}},
		{"an entry added at the end", func(l *loot) []audit.Problem {
			i := l.pick()
			i += l.after(i)
			r := l.records[i]
			r.Seq++
			l.records = slices.Insert(l.records, i+1, r)
			return place(r.Writer, r.Seq)
		}},
		{"an entry of a chain that is none", func(l *loot) []audit.Problem {
			r := l.records[l.pick()]
			r.Writer = "zz-" + r.Writer
			l.records = append(l.records, r)
			return place(r.Writer, r.Seq)
		}},
	}
}

// chainDamages are to what lies beside the entries.
func chainDamages() []damage {
	return []damage{
		{"a chain removed", func(l *loot) []audit.Problem { return place(l.remove(), 0) }},
		{"a chain removed, from the roster too", func(l *loot) []audit.Problem {
			w := l.remove()
			l.state.Roster.Writers = slices.DeleteFunc(l.state.Roster.Writers, func(x string) bool { return x == w })
			return place("", 0)
		}},
		{"a chain removed and an older roster's generation", func(l *loot) []audit.Problem {
			w := l.remove()
			l.state.Roster.Generation--
			l.state.Roster.Writers = slices.DeleteFunc(l.state.Roster.Writers, func(x string) bool { return x == w })
			return place("", 0)
		}},
		{"the roster removed", func(l *loot) []audit.Problem {
			l.state.Roster = audit.Roster{}
			return place("", 0)
		}},
		{"the roster and the heads removed", func(l *loot) []audit.Problem {
			l.state = audit.State{}
			return place(l.records[0].Writer, l.records[0].Seq)
		}},
		{"a head removed", func(l *loot) []audit.Problem {
			i := l.dice.IntN(len(l.state.Chains))
			w := l.state.Chains[i].Head.Writer
			l.state.Chains = slices.Delete(l.state.Chains, i, i+1)
			return place(w, 0)
		}},
	}
}

// alterations change one field of one entry each.
func alterations() (all []damage) {
	paths := [][]int{{3}} // the MAC; the entry's own fields follow
	entry := reflect.TypeFor[auth.Entry]()
	for i := range entry.NumField() {
		if f := entry.Field(i); f.Type == reflect.TypeFor[auth.Resource]() {
			for j := range f.Type.NumField() {
				paths = append(paths, []int{2, i, j})
			}
		} else {
			paths = append(paths, []int{2, i})
		}
	}
	for _, path := range paths {
		name := reflect.TypeFor[audit.Record]().FieldByIndex(path).Name
		all = append(all, damage{"field " + name + " altered", func(l *loot) []audit.Problem {
			r := &l.records[l.pick()]
			switch v := reflect.ValueOf(r).Elem().FieldByIndex(path); v.Interface().(type) {
			case audit.MAC:
				r.MAC[l.dice.IntN(len(r.MAC))] ^= 1 << l.dice.IntN(8)
			case int:
				v.SetInt(v.Int() ^ 1)
			case string, auth.Scope:
				v.SetString(v.String() + "x")
			default:
				r.Entry.Time = r.Entry.Time.Add(1e6)
			}
			return place(r.Writer, r.Seq)
		}})
	}
	return all
}

func (l *loot) pick() int { return l.dice.IntN(len(l.records)) }

// after counts the records of the chain that follow record i.
func (l *loot) after(i int) int {
	n := 0
	for i+n+1 < len(l.records) && l.records[i+n+1].Writer == l.records[i].Writer {
		n++
	}
	return n
}

func (l *loot) chain(writer string) *audit.Chain {
	i := slices.IndexFunc(l.state.Chains, func(c audit.Chain) bool { return c.Head.Writer == writer })
	return &l.state.Chains[i]
}

func (l *loot) sealed(r audit.Record) bool {
	h := l.chain(r.Writer).Head
	return h.Seq == r.Seq && h.MAC == r.MAC
}

// remove removes a chain with its head and its records, and returns its name.
func (l *loot) remove() string {
	w := l.records[l.pick()].Writer
	l.records = slices.DeleteFunc(l.records, func(r audit.Record) bool { return r.Writer == w })
	l.state.Chains = slices.DeleteFunc(l.state.Chains, func(c audit.Chain) bool { return c.Head.Writer == w })
	return w
}

func named(r audit.Report, want audit.Problem) bool {
	return slices.ContainsFunc(r.Problems, func(p audit.Problem) bool {
		return p.Writer == want.Writer && p.Seq <= want.Seq && want.Seq <= p.Last
	})
}

func damageIsNamed(l *logTrial) {
	for range 3 {
		l.record(1+l.dice.IntN(12), l.writer(), l.writer())
	}
	l.whole()
	state, records := l.contents(l.Log)
	for _, d := range damages() {
		for range 4 {
			lo := &loot{dice: l.dice, state: cloneState(state), records: slices.Clone(records)}
			want := d.do(lo)
			l.Plant(l.T, lo.state, lo.records)
			report := l.verify()
			if report.Err() == nil {
				l.Fatalf("%s: not found; it was to name %v", d.what, want)
			}
			for _, w := range want {
				if !named(report, w) {
					l.Fatalf("%s: the report does not name chain %q, entry %d: %v", d.what, w.Writer, w.Seq, report.Problems)
				}
			}
			if len(want) == 1 && want[0].Seq > 0 && len(report.Problems) > 2 && d.what[0] == 'f' {
				l.Fatalf("%s: the report names more than it must: %v", d.what, report.Problems)
			}
		}
	}
	l.Plant(l.T, state, records)
	l.whole() // the control: planting alone is no damage
}

func cloneState(s audit.State) audit.State {
	s.Chains, s.Roster.Writers = slices.Clone(s.Chains), slices.Clone(s.Roster.Writers)
	return s
}

func putBack(l *logTrial) {
	w := l.writer()
	l.record(5, w)
	before, some := l.contents(l.Log)
	l.record(5, w)
	after, all := l.contents(l.Log)
	head := after.Chains[0].Head
	if err := l.verify(head, before.Chains[0].Head).Err(); err != nil {
		l.Fatalf("a log that nobody touched, with known heads: %v", err)
	}
	l.Plant(l.T, before, some)
	if err := l.verify().Err(); err != nil {
		l.Fatalf("without a known head an earlier state is whole: %v", err)
	}
	if r := l.verify(head); !named(r, audit.Problem{Writer: head.Writer, Seq: 6}) || !named(r, audit.Problem{Writer: head.Writer, Seq: 10}) {
		l.Errorf("a log that was put back to entry 5 of 10: %v", r.Problems)
	}
	l.Plant(l.T, audit.State{}, nil)
	if r := l.verify(head); !named(r, audit.Problem{Writer: head.Writer}) {
		l.Errorf("a log that was emptied: %v", r.Problems)
	}
	other := head
	other.MAC[0] ^= 1
	l.Plant(l.T, after, all)
	if r := l.verify(other); !named(r, audit.Problem{Writer: head.Writer, Seq: 10}) {
		l.Errorf("a known head of another history: %v", fmt.Sprint(r.Problems))
	}
}
