package flagstest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-analytics/sightline/flags"
)

func nothing(b *bench) {
	if set := b.load(flags.OfWebsite("nobody")); set.Revision != 0 || len(set.Flags)+len(set.Groups) > 0 {
		b.failf("Load = %+v", set)
	}
	if list := b.history(flags.OfWebsite("nobody"), "f1", math.MaxInt64, 10); len(list) > 0 {
		b.failf("History = %+v", list)
	}
}

func roundTrip(b *bench) {
	f, p, g := full(b.client, "f1"), plain(b.client, "f2"), group(b.client, "g1")
	made := flags.Change{
		Client: b.client, Flag: "f1", Revision: 7, At: start(), Actor: flags.Actor{Kind: "key", ID: "k'1", Name: `"ü"`},
		Event: flags.Updated, Before: &p, After: &f,
	}
	b.commit(flags.Commit{Client: b.client, Flags: []flags.Flag{f, p}, Groups: []flags.Group{g},
		Changes: []flags.Change{made}})
	set := b.load(b.client)
	slices.SortFunc(set.Flags, func(a, b flags.Flag) int { return strings.Compare(a.ID, b.ID) })
	want := flags.Set{Client: b.client, Revision: 1, Flags: []flags.Flag{f, p}, Groups: []flags.Group{g}}
	if !reflect.DeepEqual(set, want) {
		b.failf("Load\n%+v\nwant\n%+v", set, want)
	}
	if got := b.history(b.client, "f1", 8, 10); !reflect.DeepEqual(got, []flags.Change{made}) {
		b.failf("History\n%+v\nwant\n%+v", got, made)
	}
}

func replaced(b *bench) {
	f, g := full(b.client, "f1"), group(b.client, "g1")
	b.commit(flags.Commit{Client: b.client, Flags: []flags.Flag{f, full(b.client, "f2")}, Groups: []flags.Group{g}})
	f, g.Name = plain(b.client, "f1"), "renamed"
	b.commit(flags.Commit{Client: b.client, Base: 1, Flags: []flags.Flag{f}, Groups: []flags.Group{g}})
	set := b.load(b.client)
	i := slices.IndexFunc(set.Flags, func(f flags.Flag) bool { return f.ID == "f1" })
	if set.Revision != 2 || len(set.Flags) != 2 || i < 0 || !reflect.DeepEqual(set.Flags[i], f) ||
		!reflect.DeepEqual(set.Groups, []flags.Group{g}) {
		b.failf("Load = %+v", set)
	}
}

func oldBase(b *bench) {
	b.commit(flags.Commit{Client: b.client, Flags: []flags.Flag{plain(b.client, "f1")}})
	b.commit(flags.Commit{Client: b.client, Base: 1, Flags: []flags.Flag{plain(b.client, "f2")}})
	for _, base := range []int64{0, 1, 3} {
		f := plain(b.client, "f3")
		err := b.one.Commit(b.ctx(), flags.Commit{
			Client: b.client, Base: base, Flags: []flags.Flag{f}, DropFlags: []string{"f1"},
			Changes: []flags.Change{{Client: b.client, Flag: "f3", Revision: 1, At: start(), Event: flags.Created,
				After: &f}},
		})
		if !errors.Is(err, flags.ErrConflict) {
			b.failf("Commit with base %d of a set at revision 2: %v", base, err)
		}
	}
	if set := b.load(b.client); set.Revision != 2 || len(set.Flags) != 2 || len(b.history(b.client, "f3", 9, 9)) != 0 {
		b.failf("after conflicts: %+v", set)
	}
}

func firstCommits(b *bench) {
	const together = 8
	for base := range int64(3) {
		var wg sync.WaitGroup
		var errs [together]error
		for i := range together {
			wg.Go(func() {
				store := []flags.Store{b.one, b.other}[i%2]
				errs[i] = store.Commit(b.ctx(),
					flags.Commit{Client: b.client, Base: base,
						Flags: []flags.Flag{plain(b.client, fmt.Sprint(base, "-", i))}})
			})
		}
		wg.Wait()
		kept := 0
		for _, err := range errs {
			if err == nil {
				kept++
			} else if !errors.Is(err, flags.ErrConflict) {
				b.failf("concurrent Commit: %v", err)
			}
		}
		if set := b.load(b.client); kept != 1 || set.Revision != base+1 || len(set.Flags) != int(base)+1 {
			b.failf("%d commits with base %d succeeded; %d flags at revision %d", kept, base, len(set.Flags),
				set.Revision)
		}
	}
}

func clientsApart(b *bench) {
	for _, client := range []flags.Client{b.client, b.second, flags.OfWebsite(strings.ToUpper(b.client.ID)),
		flags.OfOrganization(b.client.ID)} {
		f := plain(client, "f1")
		f.Name = client.String()
		b.commit(flags.Commit{
			Client: client, Flags: []flags.Flag{f}, Groups: []flags.Group{group(client, "g1")},
			Changes: []flags.Change{{Client: client, Flag: "f1", Revision: 1, At: start(), Event: flags.Created,
				After: &f}},
		})
	}
	for _, other := range []flags.Client{b.second, flags.OfOrganization(b.client.ID)} {
		b.commit(flags.Commit{Client: other, Base: 1, DropFlags: []string{"f1"}, DropGroups: []string{"g1"}})
	}
	set := b.load(b.client)
	if set.Revision != 1 || len(set.Flags) != 1 || len(set.Groups) != 1 || set.Flags[0].Name != b.client.String() ||
		set.Flags[0].Client != b.client || set.Groups[0].Client != b.client {
		b.failf("Load = %+v", set)
	}
	if list := b.history(b.client, "f1", 9, 9); len(list) != 1 || list[0].Client != b.client {
		b.failf("History = %+v", list)
	}
	if list := b.history(flags.OfWebsite("stranger"), "f1", 9, 9); len(list) != 0 {
		b.failf("History of another client's flag = %+v", list)
	}
}

func history(b *bench) {
	f := plain(b.client, "f1")
	for n := range int64(5) {
		f.Revision = n + 1
		changed := f.Clone()
		b.commit(flags.Commit{Client: b.client, Base: n, Flags: []flags.Flag{f}, Changes: []flags.Change{
			{Client: b.client, Flag: "f1", Revision: n + 1, At: start(), Event: flags.Updated, After: &changed},
			{Client: b.client, Flag: "f2", Revision: n + 1, At: start(), Event: flags.Updated, After: &changed},
		}})
	}
	for _, c := range []struct {
		before int64
		limit  int
		want   []int64
	}{
		{math.MaxInt64, 10, []int64{5, 4, 3, 2, 1}},
		{math.MaxInt64, 2, []int64{5, 4}},
		{4, 2, []int64{3, 2}},
		{2, 10, []int64{1}},
		{1, 10, nil},
	} {
		var got []int64
		for _, one := range b.history(b.client, "f1", c.before, c.limit) {
			got = append(got, one.Revision)
		}
		if !slices.Equal(got, c.want) {
			b.failf("before %d, at most %d: %v, want %v", c.before, c.limit, got, c.want)
		}
	}
}

func dropped(b *bench) {
	var c flags.Commit
	for _, id := range []string{"f1", "f2"} {
		f := plain(b.client, id)
		c.Flags = append(c.Flags, f)
		c.Changes = append(c.Changes,
			flags.Change{Client: b.client, Flag: id, Revision: 1, At: start(), Event: flags.Created, After: &f})
	}
	c.Client, c.Groups = b.client, []flags.Group{group(b.client, "g1"), group(b.client, "g2")}
	b.commit(c)
	b.commit(flags.Commit{Client: b.client, Base: 1, DropFlags: []string{"f1"}, DropGroups: []string{"g1"}})
	set := b.load(b.client)
	if len(set.Flags) != 1 || set.Flags[0].ID != "f2" || len(set.Groups) != 1 || set.Groups[0].ID != "g2" {
		b.failf("Load = %+v", set)
	}
	if gone, stays := b.history(b.client, "f1", 9, 9), b.history(b.client, "f2", 9, 9); len(gone) != 0 ||
		len(stays) != 1 {
		b.failf("History = %+v and %+v", gone, stays)
	}
}

func revisions(b *bench) {
	b.commit(flags.Commit{Client: b.client})
	b.commit(flags.Commit{Client: b.second})
	b.commit(flags.Commit{Client: b.second, Base: 1})
	for _, c := range []struct {
		clients []flags.Client
		want    map[flags.Client]int64
	}{
		{nil, map[flags.Client]int64{}},
		{[]flags.Client{flags.OfWebsite("nobody"), b.second}, map[flags.Client]int64{b.second: 2}},
		{[]flags.Client{flags.OfOrganization(b.client.ID)}, map[flags.Client]int64{}},
		{[]flags.Client{b.client, b.second}, map[flags.Client]int64{b.client: 1, b.second: 2}},
	} {
		got, err := b.other.Revisions(b.ctx(), c.clients)
		if err != nil || len(got) != len(c.want) || len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			b.failf("Revisions(%v) = %v, %v; want %v", c.clients, got, err, c.want)
		}
	}
}

func nothingShared(b *bench) {
	given := full(b.client, "f1")
	change := flags.Change{Client: b.client, Flag: "f1", Revision: 1, At: start(), Event: flags.Created, After: &given}
	b.commit(flags.Commit{Client: b.client, Flags: []flags.Flag{given}, Changes: []flags.Change{change}})
	got := b.load(b.client).Flags[0]
	past := b.history(b.client, "f1", 9, 9)[0]
	for _, f := range []flags.Flag{given, got, *past.After} {
		f.Payload[1], f.Rules[0].Values[0], f.Variants[0].Value[0], f.Groups[0] = 'x', "spoiled", 'x', "spoiled"
		*f.Variants[0].Weight, f.Rules[2].BatchValues[0], f.Dependencies[0], f.Schedule[0].Percentage = 1, "spoiled",
			"spoiled", 1
	}
	if got := b.load(b.client).Flags[0]; !reflect.DeepEqual(got, full(b.client, "f1")) {
		b.failf("Load = %+v", got)
	}
	if got := b.history(b.client, "f1", 9, 9)[0].After; !reflect.DeepEqual(*got, full(b.client, "f1")) {
		b.failf("History = %+v", *got)
	}
}

func ended(b *bench) {
	ctx, cancel := context.WithCancel(b.ctx())
	cancel()
	_, err1 := b.one.Load(ctx, b.client)
	_, err2 := b.one.Revisions(ctx, []flags.Client{b.client})
	_, err3 := b.one.History(ctx, b.client, "f1", 9, 9)
	err4 := b.one.Commit(ctx, flags.Commit{Client: b.client, Flags: []flags.Flag{plain(b.client, "f1")}})
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, context.Canceled) {
			b.failf("operation %d: %v", i+1, err)
		}
	}
	if set := b.load(b.client); set.Revision != 0 {
		b.failf("Load = %+v", set)
	}
}
