package audit_test

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

func TestMemoryConforms(t *testing.T) {
	authtest.RunLog(t, func(*testing.T) authtest.LogBench { return authtest.LogBench{Log: &audit.Memory{}} })
}

func verify(t testing.TB, trail audit.Trail, known ...audit.Checkpoint) audit.Report {
	t.Helper()
	return verifyWith(t, trail, pepper, known...)
}

func verifyWith(t testing.TB, trail audit.Trail, pepper auth.Pepper, known ...audit.Checkpoint) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), trail, pepper, known...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trail is a copy of a log that tests damage.
type trail struct {
	chains  []audit.Chain
	records []audit.Record
	pruned  bool
}

func (l *trail) Chains(context.Context) ([]audit.Chain, error) { return l.chains, nil }

func (l *trail) Scan(context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for _, r := range l.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (l *trail) Prune(context.Context, []audit.Checkpoint) error {
	l.pruned = true
	return nil
}

func copyOf(t testing.TB, log audit.Trail) *trail {
	t.Helper()
	chains, err := log.Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &trail{chains: chains}
	for r, err := range log.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c.records = append(c.records, r)
	}
	return c
}

// threeChains returns chain a with entries 1 to 6, pruned up to 2; b with 1 to 3; and c with 1 to 3. In
// l.records they start at 0, 4 and 7.
func threeChains(t *testing.T) *trail {
	t.Helper()
	m := &audit.Memory{}
	for i, span := range [][2]int{{0, 6}, {6, 9}, {9, 12}} {
		w := newWriter(t, audit.Config{Log: m, Now: func() time.Time { return time.Unix(int64(i), 0) }})
		record(t, w, span[0], span[1])
		closeWriter(t, w)
	}
	if p, err := audit.Prune(t.Context(), m, pepper, entry(2).Time); err != nil || p.Entries != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	return copyOf(t, m)
}

func (l *trail) chain(writer string) *audit.Chain {
	return &l.chains[slices.IndexFunc(l.chains, func(c audit.Chain) bool { return c.Head.Writer == writer })]
}

// TestDamageIsNamed checks that each damage is reported at its entry. Entry 0 stands for the chain itself.
// Damaged logs are not pruned.
func TestDamageIsNamed(t *testing.T) {
	whole := threeChains(t)
	a, b := whole.records[0].Writer, whole.records[4].Writer
	for _, row := range []struct {
		what   string
		do     func(*trail)
		writer string
		seq    int64
	}{
		{"an entry removed", func(l *trail) { l.records = slices.Delete(l.records, 2, 3) }, a, 5},
		{"several entries removed", func(l *trail) { l.records = slices.Delete(l.records, 1, 3) }, a, 5},
		{"the first entry after the prune point removed", func(l *trail) { l.records = l.records[1:] }, a, 3},
		{"the end cut off", func(l *trail) { l.records = slices.Delete(l.records, 2, 4) }, a, 5},
		{"the end cut off and the head moved back", func(l *trail) {
			l.records = slices.Delete(l.records, 3, 4)
			l.chain(a).Head.Seq, l.chain(a).Head.MAC = 5, l.records[2].MAC
		}, a, 5},
		{"the beginning removed and a prune point forged", func(l *trail) {
			l.chain(b).PrunePoint = audit.Checkpoint{Writer: b, Seq: 1, MAC: l.records[4].MAC,
				Signature: l.chain(a).PrunePoint.Signature}
			l.records = slices.Delete(l.records, 4, 5)
		}, b, 1},
		{"the head used as prune point", func(l *trail) {
			l.chain(b).PrunePoint = l.chain(b).Head
			l.records = slices.Delete(l.records, 4, 7)
		}, b, 3},
		{"the prune point of another chain", func(l *trail) { l.chain(b).PrunePoint = l.chain(a).PrunePoint }, b, 2},
		{"the prune point removed", func(l *trail) { l.chain(a).PrunePoint = audit.Checkpoint{} }, a, 2},
		{"the prune point moved forward", func(l *trail) { l.chain(a).PrunePoint.Seq++ }, a, 3},
		{"an entry put before the prune point", func(l *trail) {
			r := l.records[0]
			r.Seq = 2
			l.records = slices.Insert(l.records, 0, r)
		}, a, 2},
		{"two entries exchanged", func(l *trail) {
			x, y := &l.records[1], &l.records[5]
			x.Entry, y.Entry, x.MAC, y.MAC = y.Entry, x.Entry, y.MAC, x.MAC
		}, b, 2},
		{"two entries in another order", func(l *trail) { l.records[1], l.records[2] = l.records[2], l.records[1] }, a,
			4},
		{"an entry added at the end", func(l *trail) {
			r := l.records[6]
			r.Seq++
			l.records = append(l.records, r)
		}, b, 4},
		{"an entry of an unknown chain", func(l *trail) {
			r := l.records[6]
			r.Writer = "nobody"
			l.records = append(l.records, r)
		}, "nobody", 3},
		{"a head removed", func(l *trail) { l.chains = l.chains[1:] }, a, 3},
		{"two heads of a chain", func(l *trail) { l.chains = append(l.chains, l.chains[0]) }, a, 0},
	} {
		l := &trail{chains: slices.Clone(whole.chains), records: slices.Clone(whole.records)}
		row.do(l)
		if r := verify(t, l); !names(r, row.writer, row.seq) {
			t.Errorf("%s: entry %d of %s is not reported in %v", row.what, row.seq, row.writer, r.Problems)
		}
		if _, err := audit.Prune(t.Context(), l, pepper, time.Now()); !errors.Is(err, audit.ErrTampered) || l.pruned {
			t.Errorf("%s: pruned %v, %v", row.what, l.pruned, err)
		}
	}
	if r := verify(t, whole); r.Err() != nil || r.Entries != 10 || len(r.Chains) != 3 ||
		r.Chains[0] != (audit.Span{Writer: a, First: 3, Last: 6}) {
		t.Errorf("an undamaged log: %+v", r)
	}
}

func names(r audit.Report, writer string, seq int64) bool {
	return slices.ContainsFunc(r.Problems, func(p audit.Problem) bool {
		return p.Writer == writer && p.Seq <= seq && seq <= p.Last
	})
}

// TestEveryFieldCounts changes each field of an entry, and its MAC.
func TestEveryFieldCounts(t *testing.T) {
	whole := threeChains(t)
	var alter func(v reflect.Value, path string)
	at := &whole.records[5]
	alter = func(v reflect.Value, path string) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		switch f := v.Addr().Interface().(type) {
		case *time.Time:
			*f = f.Add(time.Millisecond)
		case *audit.MAC:
			f[7] ^= 1
		case *int:
			*f++
		case *int64:
			*f += 100
		default:
			if v.Kind() == reflect.Struct {
				for i := range v.NumField() {
					if v.Type().Field(i).Name == "Network" { // not stored
						continue
					}
					alter(v.Field(i), path+"."+v.Type().Field(i).Name)
				}
				return
			}
			v.SetString(v.String() + "x")
		}
		if r := verify(t, whole); r.Err() == nil || at.Seq == 2 && at.Writer == r.Chains[1].Writer &&
			!names(r, at.Writer, 2) {
			t.Errorf("%s: %v", path, r.Problems)
		}
		v.Set(before)
	}
	alter(reflect.ValueOf(at).Elem(), "Record")
	if err := verify(t, whole).Err(); err != nil {
		t.Errorf("an unchanged log: %v", err)
	}
}

// TestKnownHeads checks that only a separately stored head reveals a log that was reset, or a chain that
// was removed together with its head.
func TestKnownHeads(t *testing.T) {
	m := &audit.Memory{}
	var heads []audit.Checkpoint
	w := newWriter(t, audit.Config{Log: m,
		Options: audit.Options{Every: time.Hour, OnHead: func(c audit.Checkpoint) { heads = append(heads, c) }}})
	record(t, w, 0, 5)
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := copyOf(t, m)
	record(t, w, 5, 10)
	closeWriter(t, w)
	writer := heads[1].Writer
	other := heads[1]
	other.MAC[0] ^= 1
	for _, row := range []struct {
		what  string
		trail audit.Trail
		known audit.Checkpoint
		names []int64
	}{
		{"an undamaged log", m, heads[1], nil},
		{"an older head of the log", m, heads[0], nil},
		{"a log that was reset", before, heads[1], []int64{6, 10}},
		{"a log that was reset, with a head from before", before, heads[0], nil},
		{"a log that was emptied", &trail{}, heads[1], []int64{0}},
		{"a head of another history", m, other, []int64{10}},
	} {
		if err := verify(t, row.trail).Err(); err != nil {
			t.Errorf("%s, without a known head: %v", row.what, err)
		}
		r := verify(t, row.trail, row.known)
		if (r.Err() == nil) != (row.names == nil) ||
			slices.ContainsFunc(row.names, func(seq int64) bool { return !names(r, writer, seq) }) {
			t.Errorf("%s: %v", row.what, r.Problems)
		}
	}
}

func TestAnotherPepper(t *testing.T) {
	l := threeChains(t)
	theirs, _ := auth.NewPepper([]byte("quite another pepper"))
	if r, err := audit.Verify(t.Context(), l, theirs); err != nil || r.Err() == nil {
		t.Errorf("Verify: %+v, %v", r, err)
	}
	if _, err := audit.New(t.Context(), audit.Config{Log: struct {
		nothing
		*trail
	}{nothing{}, l}, Pepper: theirs}); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("New: %v", err)
	}
}

// TestPepperThatWasChanged checks that chains of the new and the old pepper verify, and that damage in either is found.
func TestPepperThatWasChanged(t *testing.T) {
	changed, err := auth.NewPepper([]byte("the pepper of today"), []byte("sixteen bytes or more"))
	if err != nil {
		t.Fatal(err)
	}
	m := &audit.Memory{}
	for i, of := range []auth.Pepper{pepper, changed} {
		w := newWriter(t, audit.Config{Log: m, Pepper: of, Options: audit.Options{Every: time.Hour}})
		record(t, w, 10*i, 10*i+3)
		closeWriter(t, w)
	}
	if r := verifyWith(t, m, changed); r.Err() != nil || r.Entries != 6 {
		t.Errorf("Verify: %+v", r)
	}
	if r := verifyWith(t, m, pepper); r.Err() == nil {
		t.Errorf("Verify with the old pepper only: %+v", r)
	}
	for i := range copyOf(t, m).records {
		one := copyOf(t, m)
		one.records[i].Entry.Owner = "somebody else"
		if r := verifyWith(t, one, changed); r.Err() == nil {
			t.Errorf("entry %d altered: %+v", i, r)
		}
	}
	if p, err := audit.Prune(t.Context(), m, changed, time.UnixMilli(11)); err != nil || p.Entries != 4 {
		t.Errorf("Prune: %+v, %v", p, err)
	}
	if r := verifyWith(t, m, changed); r.Err() != nil || r.Entries != 2 {
		t.Errorf("Verify of the remaining entries: %+v", r)
	}
}

func TestPrune(t *testing.T) {
	m := &audit.Memory{}
	first, second := newWriter(t, audit.Config{Log: m, Options: audit.Options{Every: time.Hour}}),
		newWriter(t, audit.Config{Log: m, Options: audit.Options{Every: time.Hour}})
	fill := func(w *audit.Writer, from, to int) {
		t.Helper()
		record(t, w, from, to)
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	fill(first, 0, 10)
	fill(second, 10, 20)
	for _, step := range []struct {
		says            string
		before          int
		removed         int64
		forgotten, left int
	}{
		{"without old entries", 0, 0, 0, 20},
		{"with nine old entries of ten", 9, 9, 0, 11},
		{"again", 9, 0, 0, 11},
		{"with the rest of a chain", 15, 6, 1, 5},
		{"with only old entries", 99, 5, 1, 0},
	} {
		p, err := audit.Prune(t.Context(), m, pepper, entry(step.before).Time)
		if err != nil || p.Entries != step.removed || len(p.Chains) != step.forgotten || len(kept(t, m)) != step.left {
			t.Errorf("%s: %+v, %v, remaining %v", step.says, p, err, kept(t, m))
		}
	}
	if l := copyOf(t, m); len(l.chains) != 0 {
		t.Errorf("remaining chains: %+v", l.chains)
	}
	fill(first, 20, 22) // writers start new chains
	fill(second, 22, 24)
	if ids := kept(t, m); len(ids) != 4 {
		t.Errorf("after everything was pruned, the log has %v", ids)
	}
	closeWriter(t, first)
	closeWriter(t, second)
}

// shifting is a Memory that is changed between Chains and the first Scan.
type shifting struct {
	audit.Memory
	meanwhile func()
}

func (l *shifting) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	if do := l.meanwhile; do != nil {
		l.meanwhile = nil
		do()
	}
	return l.Memory.Scan(ctx)
}

// TestVerifyBesideOthers checks that correct work of other processes during verification is not reported as damage.
func TestVerifyBesideOthers(t *testing.T) {
	for says, meanwhile := range map[string]func(*audit.Memory) error{
		"another writer begins": func(m *audit.Memory) error {
			w := newWriter(t, audit.Config{Log: m})
			record(t, w, 10, 12)
			return w.Close(t.Context())
		},
		"entries are pruned": func(m *audit.Memory) error {
			_, err := audit.Prune(t.Context(), m, pepper, entry(3).Time)
			return err
		},
		"a chain is forgotten": func(m *audit.Memory) error {
			_, err := audit.Prune(t.Context(), m, pepper, entry(30).Time)
			return err
		},
	} {
		l := &shifting{}
		w := newWriter(t, audit.Config{Log: l})
		record(t, w, 0, 6)
		closeWriter(t, w)
		l.meanwhile = func() {
			if err := meanwhile(&l.Memory); err != nil {
				t.Fatal(err)
			}
		}
		if r := verify(t, l); r.Err() != nil || l.meanwhile != nil {
			t.Errorf("%s: %v", says, r.Problems)
		}
	}
}

// byHand computes a MAC as documented: each text is preceded by its length, numbers have eight bytes, and
// MACs are used as they are.
func byHand(t *testing.T, fields ...any) (m audit.MAC) {
	t.Helper()
	key, err := hkdf.Key(sha256.New, []byte("sixteen bytes or more"), nil, "sightline audit trail 1", 32)
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, key)
	for _, f := range fields {
		switch f := f.(type) {
		case string:
			h.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(f))), f...))
		case int:
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(f)))
		case audit.MAC:
			h.Write(f[:])
		}
	}
	return audit.MAC(h.Sum(nil))
}

// TestSignaturesByHand fixes the signed bytes, because logs outlive programs.
func TestSignaturesByHand(t *testing.T) {
	m := &audit.Memory{}
	w := newWriter(t, audit.Config{Log: m})
	for range 2 {
		err := w.Record(t.Context(), auth.Entry{
			Time: time.UnixMilli(7), RequestID: "a", KeyID: "b", Start: "c", Owner: "d", Method: "e", Route: "f",
			Resource: auth.Resource{Kind: "g", ID: "h", Owner: "i"}, Scope: "j", Outcome: "k", Status: 200, IP: "l",
			UserAgent: "m",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closeWriter(t, w)
	l := copyOf(t, m)
	head := l.chains[0].Head
	prev := byHand(t, "chain", head.Writer)
	for i, r := range l.records {
		prev = byHand(t, "entry", head.Writer, i+1, prev, 7, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", 200,
			"l", "m")
		if r.MAC != prev {
			t.Errorf("entry %d has a different MAC", i+1)
		}
		if i == 0 {
			l.chains[0].PrunePoint = audit.Checkpoint{Writer: head.Writer, Seq: 1, MAC: prev,
				Signature: byHand(t, "cut", head.Writer, 1, prev)}
		}
	}
	if len(l.records) != 2 || head.Signature != byHand(t, "head", head.Writer, 2, prev) {
		t.Error("the head has a different signature")
	}
	l.records = l.records[1:]
	if r := verify(t, l); r.Err() != nil {
		t.Errorf("with a prune point signed by hand: %v", r.Problems)
	}
}
