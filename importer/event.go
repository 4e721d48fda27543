package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// A skipError says why a record becomes no row.
type skipError struct {
	reason Reason
	detail string
}

func (e *skipError) Error() string { return string(e.reason) + ": " + e.detail }

func skip(reason Reason) error { return &skipError{reason: reason} }

func malformed(detail string) error { return &skipError{Malformed, detail} }

// A maker makes events of records.
type maker struct {
	website store.Website
	anyHost bool
	geo     track.Geo        // may be nil
	now     time.Time        // when the import began, or later
	clock   func() time.Time // the time now
	ids     ids
	known   *agent.Names
	agents  *intake.Agents
	people  *visitors
	erased  *erasedPersons
	domain  string // of the website, as address.Host returns it
}

// event returns the event of r, without its id, or an error with a *skipError. format names the source of ids.
func (m *maker) event(format string, r *Record) (store.Event, error) {
	if r.Time.IsZero() {
		return store.Event{}, malformed("no time")
	}
	if r.Time.Before(intake.Oldest()) || m.tooLate(r) {
		return store.Event{}, skip(BadTime)
	}
	if r.Method != "" {
		if err := isPage(r); err != nil {
			return store.Event{}, err
		}
	}
	if !m.ours(r.Host) || hasHost(r.URL) && !m.ours(r.URL) {
		return store.Event{}, skip(OtherHost)
	}
	if r.Address = clientAddress(r.Address); r.Address == unknownAddress {
		return store.Event{}, skip(NoAddress)
	}
	browser, err := m.browser(r)
	if err != nil {
		return store.Event{}, err
	}
	e := store.Event{Website: m.website.ID, Kind: r.Kind, Time: r.Time.UTC().Truncate(time.Millisecond), Agent: browser}
	e.Keyed = true // as if the operator had sent it with a key
	if err := m.names(&e, r); err != nil {
		return store.Event{}, err
	}
	m.identify(&e, format, r)
	if m.erased.hasRecord(r, &e) {
		return store.Event{}, skip(Erased)
	}
	m.origin(&e, r)
	return e, nil
}

// maxAhead is how far the clock of another machine may be ahead of this one's.
const maxAhead = 5 * time.Minute

// tooLate reports whether r is in the future. A time that another clock may have now becomes the time now, as in
// package track.
func (m *maker) tooLate(r *Record) bool {
	if !r.Time.After(m.now) {
		return false
	}
	if m.now = m.clock(); r.Time.After(m.now.Add(maxAhead)) {
		return true
	}
	if r.Time.After(m.now) {
		r.Time = m.now
	}
	return false
}

// unknownAddress is the address of a record of an access log that does not name the client.
const unknownAddress = "-"

// clientAddress returns the address in s without its port, brackets and zone; of a list, as proxies write it, the first
// one. Another text, such as the name of a host, is returned as it is.
func clientAddress(s string) string {
	s, _, _ = strings.Cut(s, ",")
	s = strings.TrimSpace(s)
	ip, ok := parseAddress(s)
	if !ok {
		return s
	}
	return ip.Unmap().WithZone("").String()
}

// parseAddress parses an address that may have a port or brackets.
func parseAddress(s string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(s); err == nil {
		return ip, true
	}
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr(), true
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return ip, err == nil
	}
	return netip.Addr{}, false
}

// hasHost reports whether url is a full address, and not a path.
func hasHost(url string) bool {
	scheme, _, ok := strings.Cut(url, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// names sets the name and the texts of e.
func (m *maker) names(e *store.Event, r *Record) error {
	switch r.Kind {
	case store.Pageview:
		e.Name, e.LoadTime = "screen_view", r.LoadTime
	case store.Exit:
		return skip(OtherKind)
	case store.PageEvent:
		e.Name = text(r.Name, intake.MaxPageName)
	case store.Custom:
		e.Name = text(r.Name, intake.MaxName)
	case store.Click:
		if e.Href = text(r.Href, intake.MaxText); e.Href == "" {
			return malformed("no address of the clicked link")
		}
		e.Text = text(r.Text, intake.MaxText)
	}
	if e.Name == "" && r.Kind != store.Click {
		return malformed("no name")
	}
	if page := address.Clean(r.URL); page != "" {
		e.Path, _ = intake.Bound(address.Path(page), intake.MaxText)
	} else if r.Kind == store.Pageview || r.Kind == store.PageEvent {
		return malformed("no path")
	}
	e.Title, e.Timezone = text(r.Title, intake.MaxTitle), text(r.Timezone, intake.MaxTimezone)
	e.Language, e.Screen = intake.Language(address.Clean(r.Language)), intake.Size(address.Clean(r.Screen))
	e.Properties = properties(r.Properties)
	return nil
}

// properties returns a JSON object in its stored form; empty if s is not an object.
func properties(s string) string {
	if s == "" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var o map[string]any
	if d.Decode(&o) != nil {
		return ""
	}
	return intake.Properties(o, func(string) {})
}

func text(s string, limit int) string {
	if s == "" {
		return ""
	}
	s, _ = intake.Text(s, limit)
	return s
}

// identify sets the visitor and the session of e.
func (m *maker) identify(e *store.Event, format string, r *Record) {
	if id := text(r.Profile, intake.MaxID); !intake.Placeholder(id) {
		e.ProfileID = id
	}
	visitor, session := present(r.Visitor), present(r.Session)
	if visitor != "" {
		e.AnonymousID = m.ids.visitor(visitor)
	}
	if session != "" {
		e.SessionID = m.ids.session(format, session)
	}
	sender, agent := r.Address, r.UserAgent
	if sender == "" {
		sender, agent = cmp.Or(visitor, e.ProfileID), "" // a source that only knows visitors
	}
	if sender == "" || e.AnonymousID != "" && e.SessionID != "" {
		return
	}
	id, made := m.people.find(sender, agent, r.Time)
	if e.AnonymousID == "" && r.Address != "" {
		e.AnonymousID = id
	}
	if e.SessionID == "" {
		e.SessionID = made
	}
}

// present returns an id, or an empty text for what programs write if they have none.
func present(id string) string {
	if intake.Placeholder(id) {
		return ""
	}
	return id
}

// origin sets where the visitor came from.
func (m *maker) origin(e *store.Event, r *Record) {
	if e.Kind != store.Pageview && e.Kind != store.PageEvent {
		return
	}
	e.Referrer, e.ReferrerDomain, _ = intake.Referrer(r.Referrer, m.website.Domain)
	landing := intake.Parameters(r.URL)
	tag := func(given, name string) string { return intake.Tag(text(given, intake.MaxUTM), landing, name) }
	e.UTMSource, e.UTMMedium, e.UTMCampaign = tag(r.UTMSource, "utm_source"), tag(r.UTMMedium, "utm_medium"),
		tag(r.UTMCampaign, "utm_campaign")
	e.UTMTerm, e.UTMContent, e.GCLID = tag(r.UTMTerm, "utm_term"), tag(r.UTMContent, "utm_content"),
		tag(r.GCLID, "gclid")
	if e.ReferrerDomain == "" {
		e.ReferrerDomain, e.CampaignKind = intake.Campaign(landing,
			intake.Tags{Source: e.UTMSource, Medium: e.UTMMedium,
				Ad: intake.Ad(landing, func(string) string { return e.GCLID })})
	}
}

// browser returns the facts about the sender. The parts that r names have priority.
func (m *maker) browser(r *Record) (store.Agent, error) {
	a := store.Agent{}
	if ua := agent.Cut(r.UserAgent); ua != "" {
		known := m.agents.Read(ua)
		if known.Bot {
			return a, &skipError{Bot, known.Name}
		}
		a = known.Agent
	} else if r.Method != "" {
		return a, skip(NoAgent)
	}
	g := &r.Agent
	if g.BrowserName != "" {
		family, version := m.known.Browser(g.BrowserName)
		a.BrowserName, a.BrowserVersion = text(family, intake.MaxID),
			text(cmp.Or(g.BrowserVersion, version), intake.MaxID)
	}
	if g.OSName != "" {
		family, version := m.known.System(g.OSName)
		a.OSName, a.OSVersion = text(family, intake.MaxID), text(cmp.Or(g.OSVersion, version), intake.MaxID)
	}
	a.DeviceType = cmp.Or(m.known.Device(g.DeviceType), a.DeviceType, deviceOf(a.OSName))
	m.place(&a, r)
	return a, nil
}

// deviceOf returns the usual device of a system.
func deviceOf(system string) string {
	if system == "iOS" || system == "Android" {
		return agent.Mobile
	}
	return agent.Desktop
}

// place sets the location of a: as r names it, or by its address.
func (m *maker) place(a *store.Agent, r *Record) {
	region, city := m.region(r.Agent.Region), r.Agent.City
	code, ok := country.Code(strings.TrimSpace(r.Agent.Country))
	if !ok && m.geo != nil {
		ip, err := netip.ParseAddr(r.Address)
		if err != nil {
			return
		}
		at := m.geo.Locate(ip.Unmap())
		code, ok = intake.Country(at.Country)
		region, city = at.Region, at.City
	}
	if ok {
		a.Country, a.Region, a.City = code, text(region, intake.MaxID), text(city, intake.MaxID)
	}
}

// A regionNamer is a track.Geo that knows its names of regions by their codes.
type regionNamer interface{ Region(code string) string }

// region returns the name that the tracker stores for a region with an ISO 3166-2 code. A name, and a code that
// Config.Geo does not know, are returned as they are.
func (m *maker) region(name string) string {
	names, ok := m.geo.(regionNamer)
	if len(name) < len("DE-B") || len(name) > len("DE-BER") || name[2] != '-' || !ok {
		return name
	}
	return cmp.Or(names.Region(name), name)
}

// ours reports whether the pages of host belong to the website.
func (m *maker) ours(host string) bool {
	if host == "" || host == "-" || m.anyHost || m.domain == "" {
		return true
	}
	rest, ok := strings.CutSuffix(address.Host(host), m.domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

// isPage returns an error unless r is a request for a page that was answered with it.
func isPage(r *Record) error {
	switch {
	case r.Method != "GET":
		return skip(Method)
	case (r.Status < 200 || r.Status > 299) && r.Status != 304:
		return skip(Status)
	}
	if kind, _, _ := strings.Cut(r.ContentType, ";"); kind != "" && kind != "-" {
		if kind = strings.ToLower(strings.TrimSpace(kind)); kind != "text/html" && kind != "application/xhtml+xml" {
			return skip(Asset)
		}
		return nil
	}
	page, _, _ := strings.Cut(r.URL, "?")
	if strings.HasPrefix(page, "/.well-known/") || isAsset(path.Ext(page)) {
		return skip(Asset)
	}
	return nil
}

// isAsset reports whether files with an extension are assets and not pages.
func isAsset(extension string) bool {
	if len(extension) < len(".db") || len(extension) > len(".webmanifest") {
		return false
	}
	switch strings.ToLower(extension) {
	case ".css", ".js", ".mjs", ".cjs", ".map", ".wasm", ".json", ".jsonld", ".xml", ".rss", ".atom", ".txt", ".csv",
		".webmanifest", ".xsl",
		".jsx", ".tsx", ".vue", ".scss", ".less", ".json5", ".ndjson", ".jsonl", ".geojson", ".gpx", ".kml",
		".manifest", ".appcache",
		".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".cur", ".bmp", ".tif", ".tiff", ".heic",
		".heif", ".jxl", ".jp2",
		".apng", ".svgz", ".psd", ".eps", ".glb", ".gltf", ".stl",
		".woff", ".woff2", ".ttf", ".otf", ".eot",
		".mp3", ".mp4", ".m4a", ".m4v", ".m4s", ".m3u", ".m3u8", ".mpd", ".ts", ".mov", ".avi", ".mkv", ".webm", ".ogg",
		".ogv", ".oga",
		".opus", ".wav", ".flac", ".aac", ".aif", ".aiff", ".mid", ".midi", ".wma", ".wmv", ".flv", ".f4v", ".mpg",
		".mpeg", ".3gp", ".vtt", ".srt",
		".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".rtf", ".epub", ".mobi",
		".azw3", ".ics", ".vcf",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".br", ".7z", ".rar", ".tar", ".cab", ".jar", ".war", ".exe",
		".msi", ".dmg", ".pkg", ".iso",
		".img", ".apk", ".aab", ".ipa", ".deb", ".rpm", ".torrent",
		".swf", ".bin", ".dat", ".sql", ".sqlite", ".db", ".mdb", ".bak", ".old", ".swp", ".log", ".ini", ".conf",
		".env", ".yml", ".yaml", ".toml",
		".parquet", ".pem", ".crt", ".key", ".asc", ".sig", ".md5", ".sha1", ".sha256":
		return true
	}
	return false
}

// trimmed returns text for an example: its beginning, as valid UTF-8 on one line.
func trimmed(text []byte) string {
	text = bytes.TrimSpace(text)
	return strings.ToValidUTF8(address.Clean(string(text[:min(len(text), maxExample)])), "")
}
