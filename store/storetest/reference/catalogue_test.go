package reference

import (
	"fmt"
	"strings"
	"testing"
)

// office: anna (S1) comes through a campaign from Munich and reads two pages. ben (S2) comes from Berlin, with
// a later version of the same browser, and reads one page. dora's row (p4) has no fields about her. S3 began on
// 30 April; S4 has its pageview after the range.
const office = `
01T09:00:00 view p1 s=S1 a=anna path=/ from=google.com utm=mail medium=email campaign=may term=t content=c lang=de zone=Europe/Berlin screen=800x600 country=DE region=Bavaria city=Munich browser=Chrome version=124 os=macOS osversion=14 device=desktop
01T09:00:20 exit x1 s=S1 a=anna path=/ time=20000 scroll=80 did=3
01T09:00:20 view p2 s=S1 a=anna path=/docs
01T10:00:00 view p3 s=S2 a=ben path=/ country=DE region=Berlin browser=Chrome version=125 os=macOS
01T11:00:00 view p4 a=dora path=/docs
02T23:59:00 custom c1 s=S4 a=eve name=go path=/
03T00:00:00 view p5 s=S4 a=eve path=/late browser=Chrome
`

// Every type that counts pageviews by a field of their session.
func TestFields(t *testing.T) {
	d := NewData(read(t, office))
	one := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"pageviews":2,"visitors":1,"percentage":100}`, name)
	}
	for _, w := range []wanted{
		{why: "an empty source does not count", name: "utm_sources", rows: one("mail")},
		{why: "the session's", name: "utm_mediums", rows: one("email")},
		{why: "the session's", name: "utm_campaigns", rows: one("may")},
		{why: "the session's", name: "utm_terms", rows: one("t")},
		{why: "the session's", name: "utm_content", rows: one("c")},
		{why: "the session's", name: "language", rows: one("de")},
		{why: "the session's", name: "timezone", rows: one("Europe/Berlin")},
		{why: "the session's", name: "screen_resolutions", rows: one("800x600")},
		{why: "both", name: "os_name", rows: `{"name":"macOS","pageviews":3,"visitors":2,"percentage":100}`},
		{why: "path counts by row", name: "os_name", ask: grouped("path"), rows: `
			{"path":"/","name":"macOS","pageviews":2,"visitors":2,"percentage":66.67}
			{"path":"/docs","name":"macOS","pageviews":1,"visitors":1,"percentage":33.33}`},
		{why: "direct and all", name: "traffic_sources", rows: `
			{"name":"Direct","pageviews":2,"visitors":2,"percentage":66.67,"referrer":"direct","source":"direct","domain":"","referrer_type":"direct"}
			{"name":"Google","pageviews":2,"visitors":1,"percentage":33.33,"referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search"}`},
		{why: "direct is not a referrer, and not part of the shares", name: "top_referrers", rows: `
			{"name":"Google","pageviews":2,"visitors":1,"percentage":100,"referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search"}`},
		{why: "as countries", name: "country", rows: `
			{"name":"Germany","pageviews":3,"visitors":2,"percentage":100,"country_code":"DE","country_name":"Germany"}`},
		{why: "ties by country and region", name: "region", rows: `
			{"name":"Bavaria","pageviews":2,"visitors":1,"percentage":50,"region":"Bavaria","country":"Germany","country_code":"DE","country_name":"Germany"}
			{"name":"Berlin","pageviews":1,"visitors":1,"percentage":50,"region":"Berlin","country":"Germany","country_code":"DE","country_name":"Germany"}`},
		{why: "visitors without a city are excluded", name: "cities", rows: `
			{"name":"Munich","pageviews":2,"visitors":1,"percentage":100,"city":"Munich","region":"Bavaria","country":"Germany","country_code":"DE","country_name":"Germany"}`},
		{why: "as cities", name: "city", ask: where("region", "eq", "Bavaria"), rows: `
			{"name":"Munich","pageviews":2,"visitors":1,"percentage":100,"city":"Munich","region":"Bavaria","country":"Germany","country_code":"DE","country_name":"Germany"}`},
		{why: "two versions; S4 also starts in the range", name: "browsers_grouped", rows: `
			{"name":"Chrome","pageviews":3,"visitors":2,"percentage":100,"sessions":3,"versions":2}`},
		{why: "S4 starts on 2 May without a pageview there", name: "browsers_grouped",
			ask: func(q *Question) { q.StartDate = "2024-05-02" }},
		{why: "an empty version is listed, but not counted as a version", name: "browsers_grouped",
			ask: func(q *Question) {
				q.StartDate, q.EndDate = "2024-05-02", "2024-05-03"
			}, rows: `{"name":"Chrome","pageviews":1,"visitors":1,"percentage":100,"sessions":1,"versions":0}`},
		{why: "of all", name: "browser_versions", ask: func(q *Question) { q.EndDate = "2024-05-03" }, rows: `
			{"name":"Chrome","version":"","pageviews":1,"visitors":1,"sessions":1,"percentage":33.33}
			{"name":"Chrome","version":"124","pageviews":2,"visitors":1,"sessions":1,"percentage":33.33}
			{"name":"Chrome","version":"125","pageviews":1,"visitors":1,"sessions":1,"percentage":33.33}`},
		{why: "an empty version is listed", name: "os_versions", rows: `
			{"name":"macOS","version":"","pageviews":1,"visitors":1,"sessions":1,"percentage":50}
			{"name":"macOS","version":"14","pageviews":2,"visitors":1,"sessions":1,"percentage":50}`},
	} {
		w.check(t, d)
	}
}

func TestPages(t *testing.T) {
	d := NewData(read(t, office+`
		01T12:00:00 exit x2 s=S1 a=anna path=/ time=40000 scroll=0 did=0
		01T12:00:00 exit x3 a=finn path=/ time=1000 scroll=20
		01T12:00:00 exit x4 a=finn path=/docs time=3599999 scroll=100
		01T12:00:00 exit x5 s=S9 a=finn path=/docs time=3600000
		01T12:00:00 exit x6 s=S9 a=gil path=/gone`))
	for _, w := range []wanted{
		{why: "the last page of S1; dora and S9 without a pageview have none", name: "page_time_analysis",
			ask: grouped("exit_page"), rows: `
			{"exit_page":"/docs","path":"/","name":"/","sessions_with_time":1,"visitors":1,"median_time_on_page":30,"percentage":100}
			{"exit_page":"","path":"/docs","name":"/docs","sessions_with_time":0,"visitors":1,"median_time_on_page":3600,"percentage":0}`},
		{why: "pages of sessions that begin on /", name: "top_pages", ask: where("entry_page", "eq",
			"https://shop.example/?a"), rows: `
			{"path":"/","name":"/","pageviews":2,"visitors":2,"percentage":66.67}
			{"path":"/docs","name":"/docs","pageviews":1,"visitors":1,"percentage":33.33}`},
		{why: "the last page lies after the range", name: "browser_name", ask: grouped("exit_page"), rows: `
			{"exit_page":"/","name":"Chrome","pageviews":1,"visitors":1,"percentage":50}
			{"exit_page":"/docs","name":"Chrome","pageviews":2,"visitors":1,"percentage":50}`},
		{why: "a key removes whole sessions", name: "top_pages", ask: keyed(leaf("exit_page", "ne", "/docs")), rows: `
			{"path":"/","name":"/","pageviews":1,"visitors":1,"percentage":50}
			{"path":"/docs","name":"/docs","pageviews":1,"visitors":1,"percentage":50}`},
		{why: "ties by path", name: "top_pages", rows: `
			{"path":"/","name":"/","pageviews":2,"visitors":2,"percentage":50}
			{"path":"/docs","name":"/docs","pageviews":2,"visitors":2,"percentage":50}`},
		{why: "the last pageview, also after the range", name: "exit_pages", rows: `
			{"path":"/","name":"/","sessions":1,"pageviews":1,"visitors":1,"percentage":33.33}
			{"path":"/docs","name":"/docs","sessions":1,"pageviews":1,"visitors":1,"percentage":33.33}
			{"path":"/late","name":"/late","sessions":1,"pageviews":1,"visitors":1,"percentage":33.33}`},
		// 20 s and 40 s of one session on /; 3 599.999 s without a session on /docs.
		{why: "times over 1 s and under an hour", name: "page_time_analysis", rows: `
			{"path":"/","name":"/","sessions_with_time":1,"visitors":1,"median_time_on_page":30,"percentage":100}
			{"path":"/docs","name":"/docs","sessions_with_time":0,"visitors":1,"median_time_on_page":3600,"percentage":0}`},
		// On /: scroll depths 80, 20 (0 does not count); times 20, 40, 1; interactions 3, 0, of 3 exits.
		{why: "pages with exits", name: "engagement", rows: `
			{"path":"/","name":"/","pageviews":2,"visitors":2,"sessions":1,"avg_scroll_depth":50,"avg_time_on_page":30,"median_time_on_page":30,"avg_interactions":1.5,"interaction_rate":33.33}
			{"path":"/docs","name":"/docs","pageviews":2,"visitors":1,"sessions":1,"avg_scroll_depth":100,"avg_time_on_page":3600,"median_time_on_page":3600,"avg_interactions":null,"interaction_rate":0}
			{"path":"/gone","name":"/gone","pageviews":0,"visitors":1,"sessions":1,"avg_scroll_depth":null,"avg_time_on_page":null,"median_time_on_page":null,"avg_interactions":null,"interaction_rate":0}`},
		{why: "a combination needs a pageview, on any page", name: "engagement", ask: func(q *Question) {
			grouped("device_type")(q)
			where("path", "in", "/docs", "/gone")(q)
			q.Limit = 2
		}, rows: `
			{"device_type":"","path":"/docs","name":"/docs","pageviews":1,"visitors":1,"sessions":1,"avg_scroll_depth":100,"avg_time_on_page":3600,"median_time_on_page":3600,"avg_interactions":null,"interaction_rate":0}
			{"device_type":"","path":"/gone","name":"/gone","pageviews":0,"visitors":1,"sessions":1,"avg_scroll_depth":null,"avg_time_on_page":null,"median_time_on_page":null,"avg_interactions":null,"interaction_rate":0}`},
		// Depths 80 and 0 (S1), 20 and 100 (no session); x5 and x6 have none.
		{why: "lower bounds included, 100 in the last", name: "scroll_depth_distribution", rows: `
			{"depth_range":"0-20","visitors":1,"sessions":1,"percentage":50}
			{"depth_range":"20-40","visitors":1,"sessions":0,"percentage":0}
			{"depth_range":"40-60","visitors":0,"sessions":0,"percentage":0}
			{"depth_range":"60-80","visitors":0,"sessions":0,"percentage":0}
			{"depth_range":"80-100","visitors":2,"sessions":1,"percentage":50}`},
		{why: "no exits: all five rows, no shares", name: "scroll_depth_distribution", ask: where("path", "eq", "/x"),
			rows: `
			{"depth_range":"0-20","visitors":0,"sessions":0,"percentage":null}
			{"depth_range":"20-40","visitors":0,"sessions":0,"percentage":null}
			{"depth_range":"40-60","visitors":0,"sessions":0,"percentage":null}
			{"depth_range":"60-80","visitors":0,"sessions":0,"percentage":null}
			{"depth_range":"80-100","visitors":0,"sessions":0,"percentage":null}`},
	} {
		w.check(t, d)
	}
}

func TestFrustration(t *testing.T) {
	wanted{why: "sums by page, most rage first", name: "frustration_by_page", rows: `
		{"path":"/b","name":"/b","sessions":1,"visitors":2,"rage_clicks":5,"dead_clicks":1,"errors":2}
		{"path":"/a","name":"/a","sessions":0,"visitors":0,"rage_clicks":0,"dead_clicks":3,"errors":0}`}.check(t,
		NewData(read(t, `
		01T09:00:00 span n1 s=S1 a=anna path=/b rage=2 errors=2
		01T09:00:00 span n1 s=S1 a=anna path=/b rage=9
		01T09:01:00 span n2 s=S1 a=ben path=/b rage=3 dead=1
		01T09:01:00 span n3 path=/a dead=3
		03T09:01:00 span n4 path=/c rage=1`)))
}

// Every type has a unique name and unique column names.
func TestTypesAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Types() {
		if seen[kind.Name] {
			t.Errorf("type %s exists twice", kind.Name)
		}
		seen[kind.Name] = true
		var names []string
		for _, c := range kind.Columns {
			names = append(names, c.Name)
		}
		for _, n := range append(names, kind.GroupBy...) {
			if strings.Count(" "+strings.Join(append(names, kind.GroupBy...), " ")+" ", " "+n+" ") > 1 {
				t.Errorf("%s: column %s exists twice", kind.Name, n)
			}
		}
	}
	if len(seen) < 72 {
		t.Errorf("%d types exist", len(seen))
	}
}
