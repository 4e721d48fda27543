package reference

// Example returns a question of the type called name with what such a question must have: goals, or the steps of a
// funnel. The datasets of package dataset and the demo have events for them.
func Example(name string) Question {
	is := func(text string) *Text { return &Text{Op: "eq", Values: []string{text}} }
	home, pricing, paid := Action{Page: is("/")}, Action{Page: is("/pricing")}, Action{Event: is("order_paid")}
	q := Question{Type: name}
	switch name {
	case "goals":
		q.Goals = []Goal{{Name: "Paid", Action: paid, Value: "total"}, {Name: "Pricing", Action: pricing}}
	case "goals_trends":
		q.Goals = []Goal{{Name: "Pricing", Action: pricing}, {Name: "Paid", Action: paid, Value: "total"}}
	case "funnel":
		q.Steps = []Step{{Action: home}, {Action: pricing},
			{Name: "signed up", Action: Action{Event: &Text{Op: "starts_with", Values: []string{"signup"}}}}}
	case "why":
		q.Why, q.Compare = &Why{Metric: "visitors", MinWeight: new(0.0)}, PreviousPeriod
	}
	return q
}
