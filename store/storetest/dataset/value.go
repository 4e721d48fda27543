package dataset

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// filter returns a condition on a field that usually holds for the anchor.
func (a *asker) filter(field string) reference.Filter {
	op := pickFrom(a, []string{"eq", "ne", "contains", "not_contains", "starts_with", "in", "not_in"})
	negative := op == "ne" || strings.HasPrefix(op, "not_")
	n := 1
	if op == "in" || op == "not_in" {
		n += a.IntN(4)
	}
	f := reference.Filter{Field: field, Op: op}
	for i := range n {
		from := a.anchor
		if negative == a.chance(90) || i > 0 { // use the value of another row
			from = a.someoneElse(field, negative)
		}
		v := from.text[field]
		if op == "eq" || op == "ne" || op == "in" || op == "not_in" {
			v = a.written(field, v)
		} else {
			v = a.part(field, v, op == "starts_with" && a.chance(85))
		}
		f.Values = append(f.Values, v)
	}
	return f
}

// someoneElse returns a random row. With unlike it usually returns a row whose value is not part of the
// anchor's value, for an operator that should not match.
func (a *asker) someoneElse(field string, unlike bool) sample {
	s := a.sampleOf(a.another())
	for range 6 {
		if !unlike || !strings.Contains(a.anchor.text[field], s.text[field]) || a.chance(10) {
			break
		}
		s = a.sampleOf(a.another())
	}
	return s
}

// another returns a random subject of the question's kind.
func (a *asker) another() store.Subject {
	return store.Subject{Kind: a.kind.Kind, ID: a.subject()}
}

// written returns a whole value in one of the forms that callers use.
func (a *asker) written(field, v string) string {
	if a.chance(3) {
		return ""
	}
	switch field {
	case "path", "entry_page", "exit_page":
		if v == "" {
			return v
		}
		return pickFrom(a, []string{v, v, v + "/", v + "?a=/b#c", "https://" + a.dataset.Domain + v, "http://u@" +
			a.dataset.Domain + ":80" + v + "//#x",
			strings.ReplaceAll(url.PathEscape(v), "%2F", "/"), strings.ToLower(url.PathEscape(v))})
	case "referrer":
		if v == "" {
			return pickFrom(a, []string{"direct", "direct", "Direct", ""})
		}
		return pickFrom(a, []string{
			v, v, strings.ToUpper(v), "www." + v, "https://www." + v + ":443/x?y=z", "http://u:p@" + v + "./",
			cmp.Or(named[v], v), strings.ToLower(cmp.Or(named[v], v)), "google.de", "twitter.com", "ig",
			address.Unicode(v), "https://" + address.Unicode(v),
		})
	case "country":
		name := countries[v]
		return pickFrom(a, []string{v, v, strings.ToLower(v), name, strings.ToUpper(name), strings.ToLower(name),
			cmp.Or(otherNames[v], v)})
	case "device_type", "browser_name", "os_name":
		return pickFrom(a, []string{v, v, strings.ToUpper(v), strings.ToLower(v)})
	}
	if number.MatchString(v) && strings.HasPrefix(field, "property:") {
		decimals := v + ".0"
		if strings.Contains(v, ".") {
			decimals = v + "0"
		}
		return pickFrom(a, []string{v, v, decimals, v + "e0", decimals + "E+00"})
	}
	return v
}

// number matches numbers of JSON without an exponent.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// named maps some listed sources of the dataset to their names.
var named = map[string]string{
	"google.com": "Google", "facebook.com": "Facebook", "x.com": "X (Twitter)", "news.ycombinator.com": "Hacker News",
	"mail.google.com": "Gmail", "chatgpt.com": "ChatGPT",
}

// countries maps the country codes of the dataset to their names.
var countries = map[string]string{
	"DE": "Germany", "FR": "France", "US": "United States", "GB": "United Kingdom", "CI": "Côte d'Ivoire",
	"AX": "Åland Islands", "TR": "Türkiye", "CL": "Chile", "KR": "South Korea", "CW": "Curaçao", "XK": "Kosovo",
	"CZ": "Czechia", "VN": "Vietnam",
}

// otherNames maps country codes to common names that rows do not show.
var otherNames = map[string]string{"GB": "UK", "US": "usa", "TR": "Turkey", "CZ": "Czech Republic", "VN": "Viet Nam",
	"KR": "Korea, Republic of", "CI": "Ivory Coast"}

// part returns a part of a value, from its beginning or from anywhere.
func (a *asker) part(field, v string, beginning bool) string {
	switch field {
	case "country":
		v = countries[v]
	case "path", "entry_page", "exit_page":
		if a.chance(20) {
			v = strings.ReplaceAll(url.PathEscape(v), "%2F", "/")
		}
	case "referrer":
		if v == "" {
			v = "Direct"
		} else if n := named[v]; n != "" && a.chance(40) {
			v = n
		} else if a.chance(50) {
			v = address.Unicode(v)
		}
	}
	if (field == "referrer" || field == "device_type" || field == "browser_name") && a.chance(30) {
		v = strings.ToUpper(v)
	}
	letters := []rune(v)
	if len(letters) == 0 {
		return v
	}
	from := 0
	if !beginning {
		from = a.IntN(len(letters))
	}
	return string(letters[from : from+1+a.IntN(len(letters)-from)])
}
