package flags

import (
	"maps"
	"time"
)

// A partial tells for which flags a context is valid although it exceeds limits: flags that read only parts of it that
// exceed none. So one large attribute does not make programs use their defaults for all flags.
type partial struct {
	context *Context
	now     time.Time
	weights map[string]weight // of the properties that flags read
	known   map[*ready]error
}

// A weight is the result of weigh.
type weight struct {
	size int
	ok   bool
}

func newPartial(c *Context, now time.Time) *partial {
	return &partial{c, now, map[string]weight{}, map[*ready]error{}}
}

// check returns the limits that the part of the context exceeds which an evaluation of r reads; r may be nil. It
// looks at each flag once.
func (p *partial) check(r *ready) error {
	if r == nil {
		return nil
	}
	if err, ok := p.known[r]; ok {
		return err
	}
	p.known[r] = nil // ends cycles of dependencies
	if status, _ := r.flag.state(p.now); status != Active || r.blocked {
		return nil // reads nothing
	}
	err := p.checkOwn(r)
	for _, need := range r.needs {
		if err == nil {
			err = p.check(need)
		}
	}
	p.known[r] = err
	return err
}

// checkOwn is check without dependencies.
func (p *partial) checkOwn(r *ready) error {
	c := Context{Environment: p.context.Environment}
	properties := map[string]struct{}{}
	person := func() {
		if c.UserID = p.context.UserID; c.UserID == "" {
			c.Email = p.context.Email
		}
	}
	for _, rules := range [][]matcher{r.rules, r.groups} {
		for i := range rules {
			switch m := &rules[i]; {
			case m.on == OnUserID:
				c.UserID = p.context.UserID
			case m.on == OnEmail:
				c.Email = p.context.Email
			case m.field == "":
				person() // for a percentage
			case p.context.Properties[m.field] != nil:
				properties[m.field] = struct{}{}
			}
		}
	}
	switch {
	case r.flag.Type == Rollout && r.flag.By == ByOrganization:
		c.OrganizationID = p.context.OrganizationID
	case r.flag.Type == Rollout && r.flag.By == ByTeam:
		c.TeamID = p.context.TeamID
	case r.flag.Type == Rollout || r.varies():
		person()
	}
	var faults FieldErrors
	c.checkIDs(&faults)
	checkProperties(&faults, len(properties), maps.Keys(properties), p.weigh)
	return faults.err()
}

// weigh weighs a property at most once.
func (p *partial) weigh(name string) (size int, ok bool) {
	w, known := p.weights[name]
	if !known {
		w.size, w.ok = weigh(p.context.Properties[name], MaxDepth)
		p.weights[name] = w
	}
	return w.size, w.ok
}
