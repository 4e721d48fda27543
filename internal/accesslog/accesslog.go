// Package accesslog generates access logs with known totals, for tests of imports:
//
//	totals, err := accesslog.Write(file, accesslog.Options{Lines: 1_000_000, Seed: 1, From: day, Days: 10})
//	fmt.Println(totals.Pageviews, totals.Visitors, totals.Sessions)
//
//	lines, totals := accesslog.Lines(accesslog.Options{Lines: 3000, Seed: 1, From: day, Days: 3, Hosts: true})
//	for _, form := range accesslog.Forms() {
//		text := form.Text(lines) // the same requests as another web server writes them
//	}
//
// It counts with loops over maps, and shares no code with package importer: agreement means something. The lines
// are ordered by time. They have visits of people with several pages, assets, redirects, errors, robots, and some
// damaged lines.
package accesslog

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Host is the host of requests.
const Host = "shop.example"

// Options configure [Write] and [Lines].
type Options struct {
	Lines int
	Seed  uint64
	From  time.Time // the first line, in UTC
	Days  int       // over which the lines are spread evenly
	Hosts bool      // also requests for another host than Host
}

// Totals are what an import of the log must find.
type Totals struct {
	Lines, Pageviews int64
	Visitors         int64 // addresses with user agents, counted once a UTC day
	Sessions         int64 // of an address with a user agent, with less than 30 minutes between pages
	Assets, Errors   int64
	Methods, Robots  int64
	Damaged          int64
	OtherHosts       int64
	Pages            map[string]int64 // pageviews by path
	Browsers         map[string]int64 // pageviews by family
	Days             map[string]int64 // pageviews by UTC day
}

// An agent is a user agent with the family of its browser.
type agent struct{ family, text string }

var agents = []agent{
	{"Chrome", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"},
	{"Safari", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"},
	{"Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"},
	{"Edge", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0"},
}

const robot = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"

// A person is an address with a user agent.
type person struct{ address, agent int }

const (
	recent = 50 // people who are about to request another page
	paths  = 300
)

// A Line is a line of a log.
type Line struct {
	At      time.Time
	Address string
	Host    string
	Method  string
	Path    string
	Status  int
	Size    int
	Agent   string
	Damaged bool // the line is no request
}

// Write writes a log in the Combined Log Format to w, and returns its totals. The same options give the same log.
func Write(w io.Writer, o Options) (Totals, error) {
	out := bufio.NewWriterSize(w, 1<<20) // Flush returns its first error
	t := generate(o, func(l *Line) { _, _ = out.WriteString(combined(l)) })
	return t, out.Flush()
}

// Lines returns the lines of a log, and its totals.
func Lines(o Options) (all []Line, t Totals) {
	t = generate(o, func(l *Line) { all = append(all, *l) })
	return all, t
}

func generate(o Options, write func(*Line)) Totals {
	t := Totals{Pages: map[string]int64{}, Browsers: map[string]int64{}, Days: map[string]int64{}}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	last := map[person]time.Time{}
	var active [recent]person
	for i := range active {
		active[i] = stranger(rng)
	}
	step := time.Duration(o.Days) * 24 * time.Hour / time.Duration(max(o.Lines, 1))
	for i := range o.Lines {
		t.Lines++
		who := rng.IntN(recent)
		if rng.IntN(4) == 0 {
			active[who] = stranger(rng)
		}
		p := active[who]
		l := Line{
			At:      o.From.Add(time.Duration(i) * step).Truncate(time.Second),
			Address: fmt.Sprintf("10.%d.%d.%d", p.address>>16, p.address>>8&255, p.address&255),
			Host:    Host, Method: "GET", Path: fmt.Sprintf("/page-%d", rng.IntN(rng.IntN(paths)+1)), Status: 200,
			Size:  rng.IntN(50_000),
			Agent: agents[p.agent].text,
		}
		switch kind := rng.IntN(100); {
		case kind < 40:
			l.Path = fmt.Sprintf("/static/app-%d.js", kind)
			t.Assets++
		case kind < 44:
			l.Status = []int{301, 404, 500}[rng.IntN(3)]
			t.Errors++
		case kind < 46:
			l.Method, l.Path = "POST", "/cart"
			t.Methods++
		case kind < 49:
			l.Agent = robot
			t.Robots++
		case kind == 49:
			l.Damaged = true
			t.Damaged++
		case kind > 97 && o.Hosts:
			l.Host = "other.example"
			t.OtherHosts++
		default:
			t.view(p, l.At, l.Path, last)
		}
		write(&l)
	}
	return t
}

// view counts a pageview.
func (t *Totals) view(p person, at time.Time, page string, last map[person]time.Time) {
	before, known := last[p]
	if !known || at.Sub(before) > 30*time.Minute {
		t.Sessions++
	}
	if !known || before.Format(time.DateOnly) != at.Format(time.DateOnly) {
		t.Visitors++
	}
	last[p] = at
	t.Pageviews++
	t.Pages[page]++
	t.Browsers[agents[p.agent].family]++
	t.Days[at.Format(time.DateOnly)]++
}

func stranger(rng *rand.Rand) person { return person{rng.IntN(1 << 17), rng.IntN(len(agents))} }
