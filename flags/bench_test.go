package flags

import (
	"fmt"
	"testing"
)

// thousand returns 1 000 flags with 20 rules each. No rule matches.
func thousand() Set {
	var s Set
	for i := range 1000 {
		f := Flag{ID: fmt.Sprint(i), Key: fmt.Sprint("flag-", i), Type: Rollout, Status: Active, Percentage: 50}
		for j := range 5 {
			f.Rules = append(f.Rules,
				Rule{On: OnUserID, Operator: Equals, Value: fmt.Sprint("user-x", j), Enabled: true},
				Rule{On: OnEmail, Operator: EndsWith, Value: fmt.Sprint("@", j, ".example"), Enabled: true},
				Rule{On: OnProperty, Field: "plan", Operator: In, Values: []any{"pro", "team", float64(j)},
					Enabled: true},
				Rule{On: OnUserID, Operator: In, Batch: true, BatchValues: []string{"a", "b", fmt.Sprint("c", j)},
					Enabled: true},
			)
		}
		s.Flags = append(s.Flags, f)
	}
	return s
}

func visitor() *Context {
	return &Context{UserID: "user-4711", Email: "ada@acme.example",
		Properties: map[string]any{"plan": "free", "seats": 7.0}}
}

func BenchmarkEvaluate(b *testing.B) {
	x := NewIndex(thousand())
	c, now := visitor(), noon()
	b.Run("one of 1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if x.Evaluate("flag-777", c, now).Reason == FlagNotFound {
				b.Fatal("not found")
			}
		}
	})
	b.Run("all 1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(x.EvaluateAll(c, now)) != 1000 {
				b.Fatal("not all")
			}
		}
	})
}

func BenchmarkEvaluator(b *testing.B) {
	m := &Memory{}
	if err := m.Commit(b.Context(), Commit{Client: OfWebsite("web"), Flags: thousand().Flags}); err != nil {
		b.Fatal(err)
	}
	e, err := NewEvaluator(EvaluatorConfig{Store: m})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close(b.Context())
	c := visitor()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if r, err := e.Evaluate(b.Context(), OfWebsite("web"), "flag-777", c); err != nil ||
				r.Reason == FlagNotFound {
				b.Error(r, err)
			}
		}
	})
}

func BenchmarkNewIndex(b *testing.B) {
	s := thousand()
	b.ReportAllocs()
	for b.Loop() {
		NewIndex(s)
	}
}
