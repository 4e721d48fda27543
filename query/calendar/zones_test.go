package calendar

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// The files of these tests are made by testdata/zones.py, which reads the zones that Go
// embeds with code of its own. `zones.py ZONE DAY` shows one day in words.

// TestZonesAgainstPython holds the days of zones from 1970 to 2100, and the hours of five days around every change of
// their clocks, against what Python says. By day it takes one zone in 16, at night all.
func TestZonesAgainstPython(t *testing.T) {
	t.Parallel()
	step := 16
	if testenv.IsNight() {
		step = 1
	}
	rules := embeddedZones(t)
	zones, other := 0, []string{}
	for line := range strings.Lines(pythonText(t, "zones.txt")) {
		z, err := parseZone(line)
		if err != nil {
			t.Fatal(err)
		}
		zones++
		if z.same != "" {
			if string(rules[z.name]) != string(rules[z.same]) {
				other = append(other, z.name)
			}
			continue
		}
		if crc32.ChecksumIEEE(rules[z.name]) != z.rules {
			other = append(other, z.name)
			continue
		}
		if zones%step != 0 {
			continue
		}
		for _, text := range z.differences(t, rules[z.name]) {
			t.Error(text)
		}
	}
	// A newer Go has newer rules for a few zones; the others prove the code all the same.
	if zones < 590 || len(other) > zones/10 {
		t.Errorf("%d of %d zones have other rules than zones.txt knows; run testdata/zones.py", len(other), zones)
	}
	t.Logf("%d zones; with other rules than the file's: %v", zones, other)
}

// TestNamedDays shows the odd days in words.
func TestNamedDays(t *testing.T) {
	rules := embeddedZones(t)
	known := map[string]bool{}
	for line := range strings.Lines(pythonText(t, "days.txt")) {
		want, why, _ := strings.Cut(strings.TrimSpace(line), "  # ")
		name, rest, _ := strings.Cut(want, " ")
		day := date(t, rest[:len(time.DateOnly)])
		if got := describe(Days(day, day, location(t, name, rules[name]))); got != want {
			t.Errorf("%s:\nwant %s\ngot  %s", why, want, got)
		}
		known[name+" "+day.String()] = true
	}
	for _, must := range []string{
		"America/Santiago 2022-09-11", "America/Havana 2023-11-05", "America/Asuncion 2024-03-23",
		"Africa/Cairo 2023-04-28",
		"Asia/Beirut 2022-03-27", "Asia/Tehran 2022-03-22", "Australia/Lord_Howe 2024-04-07",
		"Asia/Kathmandu 1986-01-01",
		"Pacific/Apia 2011-12-30", "America/St_Johns 2010-11-07",
	} {
		if !known[must] {
			t.Errorf("%s is not among the named days", must)
		}
	}
}

// TestZonesSeeMistakes proves that a bucket which is a second or an hour wrong shows.
func TestZonesSeeMistakes(t *testing.T) {
	lines := strings.SplitAfter(pythonText(t, "zones.txt"), "\n")
	rules := embeddedZones(t)
	for _, line := range lines {
		if !strings.HasPrefix(line, "America/St_Johns ") {
			continue
		}
		z, err := parseZone(line)
		if err != nil {
			t.Fatal(err)
		}
		if found := z.differences(t, rules["America/Halifax"]); len(found) < len(z.decades) {
			t.Errorf("the clocks of Halifax pass for those of St John's: %v", found)
		}
		plain := time.FixedZone("NST", -12_600)
		if found := z.check(plain); len(found) == 0 {
			t.Error("a clock that is never set passes for that of St John's")
		}
		return
	}
	t.Error("zones.txt does not know America/St_Johns")
}

// A zoneLine is one line of zones.txt.
type zoneLine struct {
	name    string
	same    string // another name of the same rules; then nothing follows
	rules   uint32
	decades []decadeLine
}

type decadeLine struct {
	start, end  Date
	days, hours uint32 // checksums
	windows     []Date // each the middle of five days
}

func parseZone(line string) (zoneLine, error) {
	words := strings.Fields(line)
	if len(words) == 3 && words[1] == "=" {
		return zoneLine{name: words[0], same: words[2]}, nil
	}
	if len(words) != 16 {
		return zoneLine{}, fmt.Errorf("%d words: %.40s", len(words), line)
	}
	z := zoneLine{name: words[0]}
	if _, err := fmt.Sscanf(words[1], "%x", &z.rules); err != nil {
		return z, err
	}
	for i, word := range words[2:] {
		d := decadeLine{start: DateOf(FirstYear+10*i, 1, 1), end: DateOf(min(FirstYear+10*i+9, LastYear), 12, 31)}
		parts := strings.Split(word, ":")
		if _, err := fmt.Sscanf(strings.Join(parts[:2], " "), "%x %x", &d.days, &d.hours); err != nil {
			return z, err
		}
		for at := parts[2]; at != ""; at = at[3:] {
			n, err := strconv.ParseInt(at[:3], 36, 32)
			if err != nil {
				return z, err
			}
			d.windows = append(d.windows, d.start+Date(n))
		}
		z.decades = append(z.decades, d)
	}
	return z, nil
}

func (z zoneLine) differences(t *testing.T, rules []byte) []string {
	t.Helper()
	return z.check(location(t, z.name, rules))
}

// check reports the decades in which the buckets of the zone differ from the line.
func (z zoneLine) check(zone *time.Location) (found []string) {
	var text []byte
	for _, d := range z.decades {
		text = text[:0]
		for _, b := range Buckets(Days(d.start, d.end, zone), Daily) {
			text = appendLine(text, b.Label, b.From, b.To)
		}
		if crc32.ChecksumIEEE(text) != d.days {
			found = append(found, fmt.Sprintf("%s: days from %s to %s differ", z.name, d.start, d.end))
		}
		if len(z.name)%8 == 0 { // about an eighth of all zones, since this is slow
			found = append(found, z.checkLonger(Days(d.start, d.end, zone))...)
		}
		text = text[:0]
		for _, middle := range d.windows {
			for _, s := range Spans(Days(middle-2, middle+2, zone), Hourly) {
				text = appendLine(text, Label(s.Number, Hourly, time.UTC), s.From, s.To)
			}
		}
		if crc32.ChecksumIEEE(text) != d.hours {
			found = append(found, fmt.Sprintf("%s: hours around changes from %s to %s differ", z.name, d.start, d.end))
		}
	}
	return found
}

// checkLonger reports the weeks and months of r that are not what their days are together.
func (z zoneLine) checkLonger(r Range) (found []string) {
	days := Buckets(r, Daily)
	for _, g := range []Grain{Weekly, WeeklyFromMonday, Monthly} {
		var want []Bucket
		for _, day := range days {
			d, _ := ParseDate(day.Label)
			year, month, _ := d.civil()
			first := DateOf(year, month, 1)
			switch g {
			case Weekly:
				first = d - Date(d.Weekday())
			case WeeklyFromMonday:
				first = d - Date((d.Weekday()+6)%7)
			}
			if n := len(want); n > 0 && want[n-1].Label == first.String() {
				want[n-1].To = day.To
			} else {
				want = append(want, Bucket{Interval: day.Interval, Label: first.String()})
			}
		}
		same := func(a, b Bucket) bool { return a.Label == b.Label && a.Interval == b.Interval }
		if !slices.EqualFunc(want, Buckets(r, g), same) {
			found = append(found, fmt.Sprintf("%s: buckets from %s to %s differ: %s", z.name, r.StartDate, r.EndDate,
				g))
		}
	}
	return found
}

func appendLine(text []byte, label string, from, to int64) []byte {
	text = append(append(text, label...), ' ')
	text = append(strconv.AppendInt(text, from/1000, 10), ' ')
	return append(strconv.AppendInt(text, to/1000, 10), '\n')
}

// describe is a day in the words of zones.py.
func describe(r Range) string {
	buckets := Buckets(r, Hourly)
	begin := fmt.Sprintf("%s %s: ", r.Zone, r.StartDate)
	if len(Buckets(r, Daily)) == 0 {
		return fmt.Sprintf("%sno such day, %d hours", begin, len(buckets))
	}
	lengths := map[string]int64{}
	for _, s := range Spans(r, Hourly) {
		lengths[Label(s.Number, Hourly, time.UTC)[11:13]] += (s.To - s.From) / 1000
	}
	var odd strings.Builder
	for h := range 24 {
		hour := fmt.Sprintf("%02d", h)
		switch seconds, shown := lengths[hour]; {
		case !shown:
			fmt.Fprintf(&odd, "; %s is missing", hour)
		case seconds != 3600:
			fmt.Fprintf(&odd, "; %s lasts %d s", hour, seconds)
		}
	}
	return fmt.Sprintf("%s%s to %s, %d hours%s", begin, r.From.Format(time.RFC3339), r.To.Format(time.RFC3339),
		len(buckets), odd.String())
}

// pythonText is a file of testdata without its comment.
func pythonText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(b), "\n")
	if !strings.HasPrefix(head, "# tzdata ") {
		t.Fatalf("%s does not say which tzdata it was made from", name)
	}
	return rest
}

// embeddedZones returns the zones that Go embeds as time/tzdata. time.LoadLocation prefers the zones of the machine, so
// this reads the file that the embedded ones were made from.
func embeddedZones(t *testing.T) map[string][]byte {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	zones := map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if zones[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return zones
}

func location(t *testing.T, name string, rules []byte) *time.Location {
	t.Helper()
	zone, err := time.LoadLocationFromTZData(name, rules)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return zone
}

// Rules for years that are not in a table know 365 days a year, so the last day of a
// leap year must not be walked through instant by instant.
func TestLastDayOfLeapYear(t *testing.T) {
	const name = "Europe/Berlin"
	zone := location(t, name, embeddedZones(t)[name])
	from, to := DateOf(2095, 12, 30).midnight(), DateOf(2097, 1, 3).midnight()
	summer, winter := time.Date(2096, 3, 25, 1, 0, 0, 0, time.UTC).UnixMilli(),
		time.Date(2096, 10, 28, 1, 0, 0, 0, time.UTC).UnixMilli()
	want := []stretch{{Interval{from, summer}, Hour}, {Interval{summer, winter}, 2 * Hour},
		{Interval{winter, to}, Hour}}
	fastest := time.Hour
	for range 3 { // a busy machine may hold one of them up
		began := time.Now()
		if got := byShift(from, to, zone); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		fastest = min(fastest, time.Since(began))
	}
	if fastest > time.Second {
		t.Errorf("the fastest of three took %s", fastest)
	}
}
