package flags

import "time"

// At returns f at an instant, after all steps that are due by then. Each step counts as a
// revision.
func (f Flag) At(now time.Time) Flag {
	f, _ = f.settle(now)
	return f
}

// step returns f after the first step of its schedule.
func (f Flag) step() Flag {
	s := f.Schedule[0]
	f.Status, f.Percentage = s.apply(f.Status, f.Percentage)
	f.Schedule = f.Schedule[1:]
	f.Revision++
	f.UpdatedAt = s.At
	return f
}

func (s *Step) apply(status Status, percentage float64) (Status, float64) {
	switch s.Action {
	case Enable:
		status = Active
	case Disable:
		status = Inactive
	case UpdateRollout:
		percentage = s.Percentage
	}
	return status, percentage
}

// state returns the status and the percentage of f at now, after all due steps.
func (f *Flag) state(now time.Time) (Status, float64) {
	status, percentage := f.Status, f.Percentage
	for i := range f.Schedule {
		s := &f.Schedule[i]
		if s.At.After(now) {
			break
		}
		status, percentage = s.apply(status, percentage)
	}
	return status, percentage
}

// settle returns f at an instant, with its HashVersion set, and the changes that its schedule made.
func (f Flag) settle(now time.Time) (Flag, []Change) {
	f.HashVersion = f.hashVersion()
	var done []Change
	for len(f.Schedule) > 0 && !f.Schedule[0].At.After(now) {
		before := f
		f = f.step()
		done = append(done, change(Scheduled, Actor{Kind: "schedule"}, &before, &f))
	}
	return f, done
}
