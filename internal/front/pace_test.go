package front

import (
	"testing"
	"time"
)

// A link is a connection with a client in virtual time. Its buffers take bytes until they are full, and then only after
// the client has read a lump of them, as those of a system do.
type link struct {
	rate   float64 // bytes that the client reads per second
	room   float64 // bytes in the buffers
	lump   float64
	until  time.Duration // when the client stops to read; 0: never
	now    time.Duration
	filled float64
	read   time.Duration // until when the client's reading is counted
}

// drain lets the client read until now.
func (l *link) drain() {
	to := l.now
	if l.until > 0 {
		to = min(to, l.until)
	}
	l.filled = max(l.filled-l.rate*max(to-l.read, 0).Seconds(), 0)
	l.read = max(l.read, to)
}

// write writes n bytes, and returns how long that took, or false if it would take longer than allowed.
func (l *link) write(n int, allowed time.Duration) (took time.Duration, ok bool) {
	l.drain()
	if l.filled+float64(n) > l.room {
		wait := time.Duration((l.filled + l.lump - l.room) / l.rate * float64(time.Second))
		if wait > allowed || l.until > 0 && l.now+wait > l.until {
			l.now += allowed
			return allowed, false
		}
		took = max(wait, 0)
		l.now += took
		l.drain()
	}
	l.filled += float64(n)
	return took, true
}

// TestAClientMayReadAtThePromisedRate checks in virtual time that a client which reads steadily at 64 kB/s is never
// cut, whatever the buffers between are, and that slower ones and those that stop are.
func TestAClientMayReadAtThePromisedRate(t *testing.T) {
	const mega = 1 << 20
	for _, row := range []struct {
		name  string
		link  link
		pause time.Duration // of the server between two pieces
		cut   bool
		soon  time.Duration // within which it is cut after it has stopped
	}{
		{"64 kB/s without buffers", link{rate: minRate, room: largeAnswer, lump: largeAnswer}, 0, false, 0},
		{"64 kB/s, buffers of 4 MiB", link{rate: minRate, room: 4 * mega, lump: 4 * mega / 3}, 0, false, 0},
		{"64 kB/s, buffers of 12 MiB", link{rate: minRate, room: 12 * mega, lump: 4 * mega}, 0, false, 0},
		{"120 kB/s, buffers of 10 MiB", link{rate: 120_000, room: 10 * mega, lump: 3 * mega}, 0, false, 0},
		{"120 kB/s, and a slow server", link{rate: 120_000, room: 4 * mega, lump: mega}, time.Second, false, 0},
		{"a fast client", link{rate: 100 * mega, room: 4 * mega, lump: mega}, 0, false, 0},
		{"60 kB/s", link{rate: 60_000, room: 4 * mega, lump: mega}, 0, true, 0},
		{"1 kB/s", link{rate: 1000, room: largeAnswer, lump: largeAnswer}, 0, true, 0},
		{"it stops after a minute", link{rate: 200_000, room: 4 * mega, lump: mega, until: time.Minute}, 0, true,
			maxCredit*DefaultWriteGrace + 2*time.Second},
		{"it stops after half an hour", link{rate: 100 * mega, room: 4 * mega, lump: mega, until: 30 * time.Minute},
			100 * time.Millisecond, true, maxCredit*DefaultWriteGrace + 10*time.Second},
	} {
		l, p, ok := row.link, newPace(DefaultWriteGrace), true
		for ok && l.now < time.Hour && l.filled < 1e12 {
			var took time.Duration
			took, ok = l.write(largeAnswer, p.allowed(largeAnswer))
			p.took(largeAnswer, took)
			if l.now += row.pause; took == 0 && row.pause == 0 {
				l.now += time.Millisecond
			}
		}
		if ok == row.cut {
			t.Errorf("%s: cut after %v: %t, want %t", row.name, l.now, !ok, row.cut)
		}
		if row.soon > 0 && l.now-row.link.until > row.soon {
			t.Errorf("%s: cut %v after it stopped, want within %v", row.name, l.now-row.link.until, row.soon)
		}
	}
}
