package importer

import (
	"bytes"
	"strings"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// goatCounter is the format of the CSV export of GoatCounter, whose first column names the version: 1Path, 2Path or
// 3Path.
func goatCounter() format {
	return format{
		name: "goatcounter", title: "export of GoatCounter, in CSV", is: isGoatCounter, split: byRow, read: readCSV,
		columns: columns{
			"time": {"Date"}, "url": {"1Path", "2Path", "3Path"}, "title": {"Title"}, "visitor": {"Session"},
			"user_agent": {"User-Agent", "UserAgent"},
		},
		check: func(get getter) error {
			if bot := get("Bot"); bot != "" && bot != "0" {
				return skip(Bot)
			}
			return nil
		},
		finish: finishGoatCounter,
	}
}

func isGoatCounter(line []byte) bool {
	return len(line) > 0 && line[0] >= '1' && line[0] <= '3' && bytes.HasPrefix(line[1:], []byte("Path,")) &&
		hasColumns(line, "Title", "Event", "Session", "Bot", "Date")
}

func finishGoatCounter(r *Record, get getter) error {
	if get("1Path") != "" {
		r.UserAgent = get("Browser")
	} else {
		r.Agent = store.Agent{BrowserName: get("Browser"), OSName: get("System")}
	}
	if event := get("Event"); event == "true" || event == "1" {
		r.Kind, r.Name, r.URL = store.Custom, strings.TrimPrefix(r.URL, "/"), ""
	}
	r.origin(get("Referrer"), get("Referrer scheme"))
	location := get("Location") // DE, or DE-BE
	var region bool
	if r.Agent.Country, _, region = strings.Cut(location, "-"); region {
		r.Agent.Region = location
	}
	if size := strings.Split(get("Screen size"), ","); len(size) >= 2 {
		r.Screen = size[0] + "x" + size[1]
	}
	return nil
}

// origin sets the referrer or the campaign, by the scheme of the export.
func (r *Record) origin(from, scheme string) {
	switch {
	case from == "":
	case scheme == "c":
		r.UTMSource = from
	case scheme == "g": // a name, such as Hacker News
		if s, ok := referrer.Named(from); ok {
			r.Referrer = "https://" + s.Domain
		}
	case scheme == "h" && !strings.Contains(from, "://"):
		r.Referrer = "https://" + from
	default:
		r.Referrer = from
	}
}
