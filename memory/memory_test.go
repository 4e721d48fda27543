package memory_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/memory"
)

// newBudget returns a budget of 16 MB for bodies and for answers.
func newBudget(t *testing.T) *memory.Budget {
	t.Helper()
	b, err := memory.New(memory.Config{Bodies: 16_000_000, Answers: 16_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTheBoundsOfCallers claims pieces of a size in turn for callers until one is refused.
func TestTheBoundsOfCallers(t *testing.T) {
	each := func(caller func(i string) memory.Caller) func(int) memory.Caller {
		return func(i int) memory.Caller { return caller(strconv.Itoa(i)) }
	}
	for _, row := range []struct {
		name   string
		caller func(int) memory.Caller
		passed int // pieces of 1 MB
		err    error
	}{
		{"a key", each(func(string) memory.Caller { return memory.Caller{Owner: "a", Key: "k"} }), 4, memory.ErrCaller},
		{"a token", each(func(string) memory.Caller { return memory.Caller{Owner: "a", Key: "k", Token: "t"} }), 4,
			memory.ErrCaller},
		{"tokens of a key", each(func(i string) memory.Caller {
			return memory.Caller{Owner: "a", Key: "k",
				Token: i}
		}), 6,
			memory.ErrCaller},
		{"keys of an owner", each(func(i string) memory.Caller { return memory.Caller{Owner: "a", Key: i} }), 8,
			memory.ErrCaller},
		{"tokens of an owner", each(func(i string) memory.Caller {
			return memory.Caller{Owner: "a", Key: i,
				Token: i}
		}), 8,
			memory.ErrCaller},
		{"a network", each(func(string) memory.Caller { return memory.Caller{Owner: "network 1"} }), 4,
			memory.ErrCaller},
		{"owners", each(func(i string) memory.Caller { return memory.Caller{Owner: i, Key: "k"} }), 16, memory.ErrAll},
	} {
		b := newBudget(t)
		var claims []*memory.Claim
		var err error
		for i := 0; err == nil && i < 100; i++ {
			c := b.Body(row.caller(i))
			if err = c.Grow(1_000_000); err == nil {
				claims = append(claims, c)
			}
		}
		if len(claims) != row.passed || !errors.Is(err, row.err) {
			t.Errorf("%s: %d pieces passed, then %v; want %d, then %v", row.name, len(claims), err, row.passed, row.err)
		}
		if err := b.Answer(row.caller(0)).Grow(1_000_000); err != nil {
			t.Errorf("%s: bodies count as answers: %v", row.name, err)
		}
		if errors.Is(row.err, memory.ErrCaller) {
			if err := b.Body(memory.Caller{Owner: "other", Key: "k"}).Grow(4_000_000); err != nil {
				t.Errorf("%s: no room for another owner: %v", row.name, err)
			}
		}
		for _, c := range claims {
			c.End()
			c.End()
		}
		if err := b.Body(row.caller(0)).Grow(4_000_000); err != nil {
			t.Errorf("%s: after the end of all: %v", row.name, err)
		}
	}
}

// TestAClaimGrowsAndShrinks checks what one claim counts.
func TestAClaimGrowsAndShrinks(t *testing.T) {
	b := newBudget(t)
	one, two := b.Answer(memory.Caller{Owner: "a", Key: "k"}), b.Answer(memory.Caller{Owner: "a", Key: "k"})
	fits := func(size int64) bool {
		c := b.Answer(memory.Caller{Owner: "a", Key: "k"})
		defer c.End()
		return c.Grow(size) == nil
	}
	shrink := func(to int64) func() error {
		return func() error {
			one.Shrink(to)
			return nil
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
		size int64 // of one
		left int64 // bytes that another claim of the caller may have
	}{
		{"a small answer does not count", func() error { return one.Grow(memory.Small) }, memory.Small, 4_000_000},
		{"a larger one counts as a whole", func() error { return one.Grow(2_000_000 - memory.Small) }, 2_000_000,
			2_000_000},
		{"it gives back", shrink(1_000_000), 1_000_000, 3_000_000},
		{"but does not grow", shrink(9_000_000), 1_000_000, 3_000_000},
		{"a refusal changes nothing", func() error {
			if err := two.Grow(3_500_000); !errors.Is(err, memory.ErrCaller) || two.Size() != 0 {
				return errors.New("two was not refused")
			}
			return nil
		}, 1_000_000, 3_000_000},
		{"alone it may exceed the bound", func() error { return one.Grow(9_000_000) }, 10_000_000, memory.Small},
		{"small answers pass", func() error { return two.Grow(memory.Small) }, 10_000_000, memory.Small},
		{"it becomes small", shrink(memory.Small), memory.Small, 4_000_000},
		{"after its end it adds nothing", func() error {
			one.End()
			return one.Grow(3_000_000)
		}, 0, 4_000_000},
	} {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := one.Size(); got != step.size {
			t.Errorf("%s: the claim has %d bytes, want %d", step.name, got, step.size)
		}
		if !fits(step.left) || step.left < 4_000_000 && fits(step.left+1) {
			t.Errorf("%s: another claim cannot have exactly %d bytes", step.name, step.left)
		}
	}
	var none *memory.Claim
	none.Shrink(0)
	none.End()
	if none.Size() != 0 {
		t.Error("a nil claim has bytes")
	}
}

// TestAGuestKeepsClaims checks that a guest claims its body once, and holds claims until its end.
func TestAGuestKeepsClaims(t *testing.T) {
	b, who := newBudget(t), memory.Caller{Owner: "a", Key: "k"}
	g := &memory.Guest{Body: 3_000_000}
	if memory.GuestOf(memory.WithGuest(t.Context(), g)) != g || memory.GuestOf(t.Context()) != nil {
		t.Error("GuestOf returns another guest")
	}
	for range 2 {
		if err := g.TakeBody(b, who); err != nil {
			t.Fatal(err)
		}
	}
	answer := b.Answer(who)
	if err := answer.Grow(3_000_000); err != nil {
		t.Fatal(err)
	}
	g.Keep(answer)
	other := &memory.Guest{Body: 2_000_000}
	if err := other.TakeBody(b, who); !errors.Is(err, memory.ErrCaller) {
		t.Errorf("a second guest of the caller: %v", err)
	}
	if err := b.Answer(who).Grow(2_000_000); !errors.Is(err, memory.ErrCaller) {
		t.Errorf("an answer beside that of a guest: %v", err)
	}
	g.End()
	if err := errors.Join(b.Answer(who).Grow(4_000_000), b.Body(who).Grow(4_000_000)); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

func TestClaimsAtOnce(t *testing.T) {
	b := newBudget(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 500 {
				c := b.Answer(memory.Caller{Owner: strconv.Itoa(i % 2), Key: strconv.Itoa(i)})
				_ = c.Grow(1_000_000)
				c.Shrink(500_000)
				c.End()
			}
		})
	}
	all.Wait()
	if err := b.Answer(memory.Caller{Owner: "a"}).Grow(16_000_000); err != nil {
		t.Errorf("bytes are left: %v", err)
	}
}

func TestNegativeBytesAreRefused(t *testing.T) {
	if _, err := memory.New(memory.Config{Bodies: -1}); err == nil {
		t.Error("New accepts negative bytes")
	}
}
