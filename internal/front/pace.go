package front

import "time"

const (
	// DefaultWriteGrace is the default time for which a client may pause before it has read anything.
	DefaultWriteGrace = 10 * time.Second
	// minRate is the average number of bytes per second that a client must read after the grace.
	minRate = 64_000
	// maxCredit times the grace is the longest time for which a client may pause. The buffers of a connection have
	// megabytes, and the system reports free room in them only when it has about a third. So a client that reads
	// steadily at minRate seems to pause for as long as it needs for a third of the buffers.
	maxCredit = 7
)

// A pace decides how long a client may take to read a response. The client earns time by reading: a second for every
// minRate bytes.
type pace struct {
	credit, most time.Duration
}

func newPace(grace time.Duration) pace { return pace{credit: grace, most: maxCredit * grace} }

// allowed returns the time that the client may take for n more bytes.
func (p *pace) allowed(n int) time.Duration { return p.credit + earned(n) }

// took notes that the client took that time for n bytes.
func (p *pace) took(n int, passed time.Duration) { p.credit = min(p.credit+earned(n)-passed, p.most) }

func earned(n int) time.Duration { return time.Duration(n) * (time.Second / minRate) }
