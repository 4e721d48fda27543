//go:build cgo

package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/clientip"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/track"
)

// settings are the flags of serve.
type settings struct {
	addr, trackAddr string
	data            string
	demo, json      bool
	geoip           string
	countryHeader   string
	pepperFile      string
	meta, redis     string             // addresses; empty for the data folder, and for none
	auditKeep       time.Duration      // 0: for ever
	clickhouse      clickhouse.Options // without an address events lie in the data folder
	proxies         clientip.Proxies
	origins         []string
	limits          float64            // factor; 0 means that there are none
	limitOf         map[auth.Class]int // before limits multiplies it; not there: the default
}

const (
	defaultData = "./sightline-data"
	dataHelp    = "`folder` of the data; made when it is not there"
)

// readSettings reads the flags of serve.
func readSettings(args []string, to streams) (settings, error) {
	var s settings
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.StringVar(&s.addr, "addr", "127.0.0.1:8080", "`host:port` to serve on; port 0 picks a free one")
	set.StringVar(&s.trackAddr, "track-addr", "", "`host:port` to serve tracking on as well, at /; it is always served under /ingest of --addr")
	set.StringVar(&s.data, "data", defaultData, dataHelp)
	set.BoolVar(&s.demo, "demo", true, "have a demo website, link and monitor, with traffic up to now; --demo=false leaves an empty install empty")
	set.StringVar(&s.geoip, "geoip", "", "MaxMind-format `file` that finds country and city of addresses")
	set.StringVar(&s.countryHeader, "country-header", "", "`name` of a request header that a trusted CDN sets to the country code")
	set.StringVar(&s.pepperFile, "pepper-file", "", "`file` with the pepper of key digests; without it one is made and kept in the data folder")
	set.StringVar(&s.meta, "meta", "", metaHelp)
	set.StringVar(&s.redis, "redis", "", "`address` of Redis, as redis://name:password@host:6379/0, by which several processes share limits and tell each other of changed keys")
	set.Func("audit-keep", "how `long` entries of the audit trail are kept, as 90d; without it for ever. Processes that share --meta should say the same", s.setKeep)
	set.StringVar(&s.clickhouse.DSN, "clickhouse", "", clickhouseHelp+"; events lie there then instead of in the data folder, in tables that are made when they are missing")
	tableFlags(set, "clickhouse-", &s.clickhouse)
	set.BoolVar(&s.json, "json", false, "when ready, print one line of JSON with addresses, key and ids, and nothing else")
	set.Func("trusted-proxy", "network (`CIDR`) or address of a proxy whose X-Forwarded-For is believed; may be repeated", s.addProxy)
	set.Func("cors-origin", "`origin` whose pages may read /v1, as https://panel.example; may be repeated", s.addOrigin)
	s.limits = 1
	set.Func("limits", "`factor` by which all rate limits are multiplied, 1 when not given; or off, which lifts the cap on requests at the same time too", s.setLimits)
	set.Func("limit", "`class=requests` per minute for one class of routes, where the defaults are "+classDefaults()+"; --limits multiplies it, and a key with a limit of its own keeps that; may be repeated", s.setLimit)
	set.Func("result-cache", "cache of answers; this build has none, so only `off`, the default, is taken", onlyOff)
	if err := parse(set, args, to); err != nil {
		return settings{}, err
	}
	if err := s.check(); err != nil {
		return settings{}, &usageError{"serve", err}
	}
	return s, nil
}

// check finds mistakes that would otherwise show only after the data is open.
func (s *settings) check() error {
	faults := []error{checkAddr("addr", s.addr), checkAddr("track-addr", s.trackAddr)}
	if s.data == "" {
		faults = append(faults, errors.New("--data is empty"))
	}
	if s.limits == 0 && len(s.limitOf) > 0 {
		faults = append(faults, errors.New("say either --limit or --limits off"))
	}
	return errors.Join(faults...)
}

func (s *settings) addProxy(text string) error {
	network, err := clientip.Parse(text)
	if err != nil {
		return errors.New("neither a network like 10.0.0.0/8 nor an address")
	}
	s.proxies = append(s.proxies, network)
	return nil
}

func (s *settings) addOrigin(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return errors.New("not an origin like https://panel.example")
	}
	s.origins = append(s.origins, text)
	return nil
}

func (s *settings) setLimits(text string) error {
	if text == "off" {
		s.limits = 0
		return nil
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor > 0) || math.IsInf(factor, 0) {
		return errors.New("neither off nor a factor above 0")
	}
	s.limits = factor
	return nil
}

func (s *settings) setLimit(text string) error {
	name, number, _ := strings.Cut(text, "=")
	class := auth.Class(name)
	if !slices.Contains(routeClasses(), class) {
		return fmt.Errorf("%q is not one of %s", name, joined(routeClasses()))
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("not a whole number from 1 on, as in %s=120", name)
	}
	if s.limitOf == nil {
		s.limitOf = map[auth.Class]int{}
	}
	s.limitOf[class] = n
	return nil
}

// routeClasses are the classes of the routes that the program serves, in order.
func routeClasses() []auth.Class {
	all := map[auth.Class]bool{}
	for _, r := range httpapi.Routes() {
		all[r.Class] = true
	}
	for _, r := range track.Routes() {
		all[r.Class] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// classDefaults tells the default limits of routeClasses.
func classDefaults() string {
	limits := ratelimit.Defaults()
	return strings.Join(views(routeClasses(), func(c auth.Class) string {
		return fmt.Sprintf("%s=%d", c, limits[c])
	}), ", ")
}

func (s *settings) setKeep(text string) error {
	keep, err := parseSpan(text)
	if err == nil && keep < oneDay {
		err = errors.New("shorter than 1d")
	}
	s.auditKeep = keep
	return err
}

func onlyOff(text string) error {
	if text != "off" {
		return errors.New("this build does not have it; only off is taken")
	}
	return nil
}

func checkAddr(name, addr string) error {
	if addr == "" {
		if name == "addr" {
			return errors.New("--addr is empty")
		}
		return nil
	}
	if _, err := net.ResolveTCPAddr("tcp", addr); err != nil {
		return fmt.Errorf("--%s %q is no host:port to listen on: %w", name, addr, err)
	}
	return nil
}
