package flags_test

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/flags"
)

// The editor changes the flags in a store and notifies the evaluator, which evaluates in memory.
func Example() {
	ctx := context.Background()
	service, err := flags.New(flags.Config{Store: &flags.Memory{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close(ctx)
	editor, evaluator := service.Editor(), service.Evaluator()

	me := flags.Actor{Kind: "user", ID: "ada"}
	f, err := editor.Create(ctx, me, flags.Flag{
		Client: flags.OfWebsite("web_1"), Key: "new-checkout", Type: flags.Rollout, Percentage: 0,
		Rules: []flags.Rule{{On: flags.OnEmail, Operator: flags.EndsWith, Value: "@acme.example", Enabled: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(c flags.Context) {
		r, err := evaluator.Evaluate(ctx, flags.OfWebsite("web_1"), "new-checkout", &c)
		fmt.Println(r.Enabled, r.Reason, err)
	}
	show(flags.Context{Email: "grace@acme.example"})
	show(flags.Context{UserID: "user-1"})

	_, err = editor.Change(ctx,
		flags.Target{Client: flags.OfWebsite("web_1"), ID: f.ID, Revision: f.Revision, Actor: me}, func(f *flags.Flag) {
			f.Percentage = 100
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(flags.Context{UserID: "user-1"})

	// Output:
	// true USER_RULE_MATCH <nil>
	// false ROLLOUT_DISABLED <nil>
	// true ROLLOUT_ENABLED <nil>
}
