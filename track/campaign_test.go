package track

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/intake"
)

// TestCampaignSources checks which source and which kind of source are stored for a page view.
func TestCampaignSources(t *testing.T) {
	long := strings.Repeat("ü", intake.MaxUTM+1)
	for _, c := range []struct{ why, fields, want string }{
		{"a host", `"utm_source":"chatgpt.com"`, "chatgpt.com ai"},
		{"a name", `"utm_source":"ChatGPT"`, "chatgpt.com ai"},
		{"a short name and a medium", `"utm_source":"fb","utm_medium":"cpc"`, "facebook.com paid"},
		{"a click id of an ad", `"utm_source":"fb","utm_medium":"social","msclkid":"c"`, "facebook.com paid"},
		{"a click id of an ad in the query", `"path":"/?ref=fb&ScCid=c"`, "facebook.com paid"},
		{"a click id that all links have", `"path":"/?ref=fb&fbclid=c"`, "facebook.com social"},
		{"a click id that says nothing", `"ref":"fb","twclid":"(none)"`, "facebook.com social"},
		{"a click id of an ad and a medium of mail", `"path":"/?utm_source=n&utm_medium=email&gclid=c"`, "n email"},
		{"a click id alone", `"path":"/?gclid=c"`, " "},
		{"the parameter ref", `"ref":"producthunt"`, "producthunt.com social"},
		{"the parameter source", `"source":"newsletter"`, "newsletter other"},
		{"a medium of mail", `"source":"News Letter","utm_medium":"email"`, "news letter email"},
		{"utm_source before ref before source", `"source":"c","ref":"b","utm_source":"a"`, "a other"},
		{"ref before source", `"source":"c","ref":"b","utm_source":""`, "b other"},
		{"in the query of the address", `"path":"https://shop.com/?x=1&utm_source=chatgpt.com&utm_medium=social#top"`,
			"chatgpt.com social"},
		{"ref in the query", `"path":"/?ref=producthunt"`, "producthunt.com social"},
		{"source in the query", `"path":"https://shop.com/a?source=newsletter"`, "newsletter other"},
		{"a field before the query", `"utm_source":"a","path":"https://shop.com/?utm_source=b"`, "a other"},
		{"utm_source of the query before the field ref", `"ref":"a","path":"https://shop.com/?utm_source=b"`,
			"b other"},
		{"a bad escape in the query", `"path":"https://shop.com/?%zz=1&ref=a"`, "a other"},
		{"a query of the fragment is none", `"path":"https://shop.com/#/a?ref=b"`, " "},
		{"a long text is cut", `"ref":"` + long + `"`, long[:2*intake.MaxUTM] + " other"},
		{"a long text of the query is cut", `"path":"/?ref=` + long + `"`, long[:2*intake.MaxUTM] + " other"},
		{"a referrer counts", `"utm_source":"chatgpt.com","referrer":"https://www.google.com/"`, "google.com "},
		{"the website is no referrer", `"utm_source":"chatgpt.com","referrer":"https://shop.com/a"`, "chatgpt.com ai"},
		{"direct is no source", `"utm_source":"(direct)","utm_medium":"email"`, " "},
		{"no campaign", `"utm_medium":"email","utm_campaign":"spring"`, " "},
	} {
		var w world
		fields := c.fields
		if !strings.Contains(fields, `"path"`) {
			fields += `,"path":"/"`
		}
		a := w.post(t, "/?client_id=w1", `{"name":"screen_view",`+fields+`}`)
		if events := w.rows().Events; a.code != 200 || len(events) != 1 {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		} else if got := fmt.Sprint(events[0].ReferrerDomain, " ", events[0].CampaignKind); got != c.want {
			t.Errorf("%s: stored %q, want %q", c.why, got, c.want)
		}
	}
}

// Tags and click ids are the same whether they come as fields or in the query of the address, and a field counts first.
func TestTagsOfTheAddress(t *testing.T) {
	for _, c := range []struct{ why, fields, want string }{
		{"fields", `"path":"/x","utm_source":"News","utm_medium":"m","utm_campaign":"c","utm_term":"t","utm_content":"k","gclid":"G"`, "News m c t k G news"},
		{"the address", `"path":"https://shop.com/x?utm_source=News&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=k&gclid=G"`, "News m c t k G news"},
		{"a path with its query",
			`"path":"/x?utm_source=News&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=k&gclid=G"`,
			"News m c t k G news"},
		{"both", `"path":"/x?utm_source=Other&utm_medium=m&gclid=Other","utm_source":"News","utm_campaign":"c","utm_term":"t","utm_content":"k","gclid":"G"`, "News m c t k G news"},
		{"direct is none", `"path":"/x?utm_source=News&utm_medium=(none)","utm_source":"(direct)"`, "News      news"},
		{"escapes", `"path":"/x?utm_source=News%20&utm_campaign=a%2Bb"`, "News  a+b    news"},
	} {
		for _, name := range []string{"screen_view", "page_exit", "read"} {
			var w world
			a := w.post(t, "/?client_id=w1", `{"name":"`+name+`",`+c.fields+`}`)
			events := w.rows().Events
			if a.code != 200 || len(events) != 1 {
				t.Fatalf("%s: %d %s", c.why, a.code, a.raw)
			}
			e := events[0]
			got := strings.Join([]string{e.UTMSource, e.UTMMedium, e.UTMCampaign, e.UTMTerm, e.UTMContent, e.GCLID,
				e.ReferrerDomain}, " ")
			if got != c.want || e.Path != "/x" {
				t.Errorf("%s of %s: %q at %s, want %q", c.why, name, got, e.Path, c.want)
			}
		}
	}
}
