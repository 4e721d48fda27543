package country

import (
	"slices"
	"strings"
	"testing"
)

func TestTableIsSortedCompleteAndUnambiguous(t *testing.T) {
	all := All()
	if len(all) != 250 {
		t.Errorf("the table has %d countries, want 250: ISO 3166-1 and Kosovo", len(all))
	}
	names := map[string]string{}
	for i, c := range all {
		if len(c.Code) != 2 || c.Code != strings.ToUpper(c.Code) {
			t.Errorf("%q is not an alpha-2 code", c.Code)
		}
		if i > 0 && all[i-1].Code >= c.Code {
			t.Errorf("%s follows %s", c.Code, all[i-1].Code)
		}
		if c.Name == "" || c.Name != strings.TrimSpace(c.Name) {
			t.Errorf("%s has the name %q", c.Code, c.Name)
		}
		names[key(c.Name)] += c.Code
	}
	for _, a := range aliases {
		if _, ok := Name(a.Code); !ok {
			t.Errorf("alias %q has the code %s, which is not in the table", a.Name, a.Code)
		}
		names[key(a.Name)] += a.Code
	}
	for n, codes := range names {
		if len(codes) != 2 {
			t.Errorf("%q stands for %s", n, codes)
		}
	}
}

func TestEveryNameAndCodeLeadsBack(t *testing.T) {
	for _, c := range All() {
		for _, s := range []string{c.Code, strings.ToLower(c.Code), c.Name, strings.ToUpper(c.Name),
			strings.ToLower(c.Name)} {
			if got, ok := Code(s); !ok || got != c.Code {
				t.Errorf("Code(%q) = %q, %v; want %q", s, got, ok, c.Code)
			}
		}
		if got, ok := Name(c.Code); !ok || got != c.Name {
			t.Errorf("Name(%q) = %q, %v; want %q", c.Code, got, ok, c.Name)
		}
	}
}

func TestUnknownCountries(t *testing.T) {
	for _, s := range []string{"", "XX", "T1", "EU", "AP", "A1", "A2", "AN", "ZZ", "Atlantis", "Nowhere", "D", " DE",
		"de\x00", "the", "Republic of", "Kingdom of Atlantis", "Democratic Republic of Korea"} {
		if got, ok := Code(s); ok {
			t.Errorf("Code(%q) = %q, want none", s, got)
		}
	}
	for _, s := range []string{"de", "XX", "", "Germany"} {
		if got, ok := Name(s); ok {
			t.Errorf("Name(%q) = %q, want none", s, got)
		}
	}
}

func TestNamesInUse(t *testing.T) {
	for s, want := range map[string]string{
		"germany": "DE", "TÜRKIYE": "TR", "turkey": "TR", "uk": "GB", "usa": "US", "côte d'ivoire": "CI",
		"Czech Republic": "CZ",
		"Viet Nam":       "VN", "Russian Federation": "RU", "South Korea": "KR", "Korea, Republic of": "KR",
		"the Netherlands": "NL", "Holland": "NL", "Ivory Coast": "CI",
		"Cote d’Ivoire": "CI", "Burma": "MM", "Macedonia": "MK", "Cabo Verde": "CV", "St. Kitts & Nevis": "KN",
		"Turkiye": "TR", "U.S.A.": "US", "U.K.": "GB",
		"Reunion": "RE", "xk": "XK", "Kosovo": "XK", "Trinidad & Tobago": "TT", "Guinea Bissau": "GW",
		"Bahamas, The": "BS", "Swaziland": "SZ",
		"Republic of Turkey": "TR", "Kingdom of the Netherlands": "NL", "Republic of the Congo": "CG",
		"Democratic Republic of the Congo": "CD", "Republic of Korea": "KR",
		"Korea, Rep.": "KR", "Korea, Dem. People's Rep.": "KP", "Egypt, Arab Rep.": "EG", "Hongkong": "HK", "KSA": "SA",
		"Republic of China": "TW", "Macau SAR China": "MO",
	} {
		if got, _ := Code(s); got != want {
			t.Errorf("Code(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestAllReturnsANewSlice(t *testing.T) {
	a := All()
	a[0].Name = "changed"
	slices.Reverse(a)
	if All()[0].Code != "AD" || All()[0].Name != "Andorra" {
		t.Error("changing a returned slice changed the table")
	}
}
