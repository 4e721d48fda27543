package contract

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/contract/generate"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track"
)

const (
	pairs  = 400 // the default of SIGHTLINE_QUESTIONS
	perRun = 500 // pairs of requests to the same two services
)

// A pair is two services that differ only in what belongs to the neighbour. Requests of the tenant must get the same
// answers from both.
type pair struct {
	without, with *service
	own           *generate.Generator // requests of the tenant
	their         *generate.Generator // requests of the neighbour, to with alone
	public        map[string]bool
	sent          map[string]int // by route, credential, and whether the request names what is not the tenant's
	statuses      map[int]int
	total         int
}

func openPair(t *testing.T, seed uint64, spoil func(*sightline.Config)) *pair {
	t.Helper()
	p := &pair{without: open(t, false, spoil), with: open(t, true, spoil), public: publicRoutes(),
		sent: map[string]int{}, statuses: map[int]int{}}
	p.own, p.their = p.without.generator(seed, 1), p.with.generator(seed, 2)
	for _, s := range []*service{p.without, p.with} {
		s.random.mask(s.flag) // the first random text of both
	}
	return p
}

// publicRoutes returns the routes that take the id of a website from anyone, and so say whether it exists: senders of
// events and evaluations of flags.
func publicRoutes() map[string]bool {
	all := map[string]bool{}
	for _, r := range httpapi.Routes() {
		all[r.Method+" "+r.Path] = r.Access == httpapi.ByKeyOrClient
	}
	for _, r := range track.Routes() {
		all[r.Method+" /ingest"+r.Path] = r.Access == track.ByWebsite
	}
	return all
}

// A leak is a pair of answers that differ.
type leak struct {
	request    request
	credential string
	diff       string
}

func (l leak) String() string {
	return fmt.Sprintf("%s by %s (-without +with):\n%s", l.request, l.credential, l.diff)
}

// next sends one request to both services, and returns the difference of the answers, if there is one.
func (p *pair) next(t *testing.T, op generate.Operation) (found *leak) {
	t.Helper()
	if p.own.Float64() < 0.2 {
		p.disturb()
	}
	if p.own.Float64() < 0.01 || op.Path == "/v1/audit" {
		p.flush(t)
	}
	step := time.Duration(p.own.IntN(400)) * time.Millisecond
	for _, s := range []*service{p.without, p.with} {
		s.host.Advance(step)
	}
	r := p.own.Request(op)
	delete(r.Header, "X-Api-Key")
	credential := pick(p.own, slices.Sorted(maps.Keys(p.without.secrets)))
	strange := p.estrange(&r, credential)
	p.total++
	r.Header["X-Request-Id"] = fmt.Sprintf("request-%d", p.total)
	a, raw := p.without.ask(r, credential, nil)
	b, _ := p.with.ask(r, credential, p.without)
	p.own.Learn(r, a.status, raw)
	p.sent[fmt.Sprint(op.Method, " ", op.Path, " by ", credential, " ", strange)]++
	p.statuses[a.status]++
	if diff := cmp.Diff(a, b, cmp.AllowUnexported(a)); diff != "" {
		return &leak{r, credential, diff}
	}
	return nil
}

// clientHeader is the header that names the website of events.
const clientHeader = "databuddy-client-id"

// disturb sends a request of the neighbour.
func (p *pair) disturb() {
	r := p.their.Request(pick(p.their, generate.Operations(p.with.doc)))
	if strings.HasSuffix(r.Path, "/health") {
		return // everybody sees when the parts of the service were looked at
	}
	delete(r.Header, clientHeader) // anyone can send events for a website, also the neighbour for the tenant's
	for _, at := range []*string{&r.Target, &r.Body} {
		*at = strings.NewReplacer(sightlinetest.Website, foreign("web", 0), link, foreign("lnk", 0), monitor,
			foreign("mon", 0), "/keys/key_", "/keys/key_of_", "/websites/web_a", "/websites/"+foreign("web", 1)).
			Replace(*at)
	}
	r.Header["X-Api-Key"] = p.with.theirs
	p.with.from(r, "198.51.100.7:1000")
}

// flush stores the entries of the audit trails.
func (p *pair) flush(t *testing.T) {
	t.Helper()
	for _, s := range []*service{p.without, p.with} {
		if err := s.audit.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// estrange replaces ids of the tenant in some requests by ids of the neighbour, and by ids that do not exist. It
// reports whether it did.
func (p *pair) estrange(r *request, credential string) bool {
	if p.own.Float64() > 0.5 {
		return false
	}
	n := p.own.IntN(foreigners)
	sites := []string{foreign("web", n), foreign("web", n), "web_nowhere", neighbour}
	keyed := credential != "none" && r.Path != "/ingest/identify" && r.Path != "/ingest/track"
	if p.public[r.Method+" "+r.Path] || strings.HasPrefix(r.Path, "/ingest") && !keyed {
		sites = []string{"web_nowhere"}
	}
	site := pick(p.own, sites)
	replace := []string{sightlinetest.Website, site, link, pick(p.own, []string{foreign("lnk", n), "lnk_nowhere"}),
		monitor, pick(p.own, []string{foreign("mon", n), "mon_nowhere"})}
	for _, id := range siteIDs() {
		replace = append(replace, id, site)
	}
	for _, id := range keyIDs() {
		replace = append(replace, id, pick(p.own, []string{foreign("key", n), "key_nowhere"}))
	}
	replace = append(replace, p.without.flag, p.with.theirFlag)
	other := strings.NewReplacer(replace...)
	before := r.Target + r.Body
	r.Target, r.Body = other.Replace(r.Target), other.Replace(r.Body)
	return r.Target+r.Body != before
}

// An answered request, without what differs at random.
type answered struct {
	status int
	header http.Header
	answer string
}

// ask sends a request with a credential. The request has the random texts of another service, unless it is nil.
// It also returns the body as it was sent.
func (s *service) ask(r request, credential string, of *service) (a answered, raw string) {
	r.Header = maps.Clone(r.Header)
	if of != nil {
		r.Target, r.Body = of.random.translate(r.Target, &s.random), of.random.translate(r.Body, &s.random)
	}
	if secret := s.secrets[credential]; secret != "" {
		r.Header["Authorization"] = "Bearer " + secret
	}
	rec := s.from(r, "203.0.113.5:1000")
	header, raw := rec.Header().Clone(), rec.Body.String()
	a = answered{rec.Code, header, s.random.mask(raw)}
	if header.Get("ETag") != "" && (a.answer != raw || isData(r)) {
		header.Set("ETag", "a tag")
	}
	if used.MatchString(raw) { // null is shorter than a time
		header.Del("Content-Length")
	}
	return a, raw
}

// isData reports whether the entity tag of an answer hides versions of the store, which differ: httpapi.Options.TagKey.
func isData(r request) bool { return r.Path == "/v1/query" || strings.HasSuffix(r.Path, "/analytics") }

// from sends a request from an address.
func (s *service) from(r request, address string) *httptest.ResponseRecorder {
	hr := browsed(r)
	hr.RemoteAddr = address
	rec := httptest.NewRecorder()
	s.handler.ServeHTTP(rec, hr)
	return rec
}

// run sends n pairs of requests, and returns the first leaks, up to most.
func (p *pair) run(t *testing.T, n, most int) (leaks []leak) {
	t.Helper()
	var queries, others []generate.Operation
	for _, op := range generate.Operations(p.without.doc) {
		if op.Path == "/v1/query" {
			queries = append(queries, op)
		} else {
			others = append(others, op)
		}
	}
	for i := range n {
		op := others[i%len(others)]
		if p.own.Float64() < 0.25 {
			op = pick(p.own, queries)
		}
		if found := p.next(t, op); found != nil {
			if leaks = append(leaks, *found); len(leaks) == most {
				return leaks
			}
		}
	}
	return leaks
}

// TestNoninterference sends the same random requests of a tenant to two services that differ only in what belongs to
// another owner, who also uses one of them meanwhile. The answers must be equal.
func TestNoninterference(t *testing.T) {
	testenv.WithoutRace(t)
	first, left := setting(t, "SIGHTLINE_SEED", seed), setting(t, "SIGHTLINE_QUESTIONS", pairs)
	sent, statuses := map[string]int{}, map[int]int{}
	for run := 0; left > 0; run++ {
		n := min(left, perRun)
		left -= n
		t.Run(fmt.Sprint(first+run), func(t *testing.T) {
			p := openPair(t, uint64(first+run), nil)
			for _, l := range p.run(t, n, 5) {
				t.Error(l)
			}
			for name, times := range p.sent {
				sent[name] += times
			}
			for status, times := range p.statuses {
				statuses[status] += times
			}
		})
	}
	t.Log(summary(sent), statuses)
}

// summary says how many kinds of requests there were.
func summary(sent map[string]int) string {
	routes, credentials, strange := map[string]bool{}, map[string]bool{}, 0
	for name, times := range sent {
		route, rest, _ := strings.Cut(name, " by ")
		routes[route], credentials[rest[:strings.LastIndexByte(rest, ' ')]] = true, true
		if strings.HasSuffix(name, " true") {
			strange += times
		}
	}
	return fmt.Sprintf("%d routes, %d kinds of credentials, %d requests with ids that are not the tenant's; statuses",
		len(routes), len(credentials), strange)
}

// TestNoninterferenceFindsLeaks plants mistakes, each of which must be found.
func TestNoninterferenceFindsLeaks(t *testing.T) {
	testenv.WithoutRace(t)
	for name, spoil := range map[string]func(*sightline.Config){
		"a list counts the links of all owners": func(cfg *sightline.Config) {
			cfg.Directory = countedLinks{cfg.Records.(*meta.Store)}
		},
		"an unknown link is another error than a foreign one": func(cfg *sightline.Config) {
			cfg.Directory = tellingDirectory{cfg.Records.(*meta.Store)}
		},
		"requests of all owners share one limit": func(cfg *sightline.Config) {
			cfg.Limiter = sharedLimiter{cfg.Limiter}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if leaks := openPair(t, seed, spoil).run(t, perRun, 1); len(leaks) == 0 {
				t.Error("not found")
			}
		})
	}
}

// countedLinks name links by the number of links of all owners.
type countedLinks struct{ *meta.Store }

func (c countedLinks) Links(ctx context.Context, owner string) ([]store.Link, error) {
	own, err := c.Store.Links(ctx, owner)
	if err != nil {
		return nil, err
	}
	all, err := c.Store.Links(ctx, neighbour)
	for i := range own {
		own[i].Name = fmt.Sprintf("%d of %d", i+1, len(own)+len(all))
	}
	return own, err
}

// A tellingDirectory fails for links of the neighbour.
type tellingDirectory struct{ *meta.Store }

func (d tellingDirectory) Owner(ctx context.Context, s store.Subject) (string, error) {
	owner, err := d.Store.Owner(ctx, s)
	if owner == neighbour && s.Kind == store.KindLink {
		return "", store.ErrUnavailable
	}
	return owner, err
}

// A sharedLimiter counts the requests of all keys together.
type sharedLimiter struct{ auth.Limiter }

func (l sharedLimiter) Allow(ctx context.Context, class auth.Class, _ string, cost int,
	own *auth.Limits) (auth.Decision, error) {
	return l.Limiter.Allow(ctx, class, "all", cost, own)
}

// pick returns one of all.
func pick[T any](g *generate.Generator, all []T) T { return all[g.IntN(len(all))] }
