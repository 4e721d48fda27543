package notice

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Facts are the numbers in the message about a change.
type Facts struct {
	Website string // its name
	About   string // the name of a monitor or the key of a flag
	Ends    bool
	Began   time.Time // of Ends
	Now     time.Time

	Metric   string // its title
	Unit     string // such as ms or %
	Reading  Reading
	From, To time.Time // what the number is about, if that is hours
	Period   string    // otherwise: of [Notice.Due]

	Best, Other Variant // of [Experiment]
	Used, Limit int64   // of [Quota]

	// Because says what the change comes from, such as "mostly Email: 260, expected 96". It is the place for the answer
	// to a question of the type why; empty: nothing is known.
	Because string
}

// Sentence says in plain text what happened, from the numbers alone.
func (n *Notice) Sentence(f *Facts) string {
	text := n.number(f)
	if n.Event != "" {
		text = n.event(f)
	}
	if f.Because != "" {
		text += " " + f.Because
	}
	return text
}

// number is the sentence of a notice about a number.
func (n *Notice) number(f *Facts) string {
	r := &f.Reading
	value := math.NaN()
	if r.Value != nil {
		value = *r.Value
	}
	text := fmt.Sprintf("%s: %s %s %s", f.Website, f.Metric, shown(value, f.Unit), n.when(f))
	switch {
	case n.Above != nil && f.Ends:
		return text + fmt.Sprintf(", no longer above %s.", shown(*n.Above, f.Unit))
	case n.Above != nil:
		return text + fmt.Sprintf(", above %s.", shown(*n.Above, f.Unit))
	case n.Below != nil && f.Ends:
		return text + fmt.Sprintf(", no longer below %s.", shown(*n.Below, f.Unit))
	case n.Below != nil:
		return text + fmt.Sprintf(", below %s.", shown(*n.Below, f.Unit))
	case n.Changes != nil:
		change, _ := ChangeOf(value, r.Previous)
		previous := 0.0
		if r.Previous != nil {
			previous = *r.Previous
		}
		word := "more"
		if change < 0 {
			word = "less"
		}
		text += fmt.Sprintf(", %s %s than on the same weekdays before (%s)", shown(math.Abs(change), "%"), word,
			shown(previous, f.Unit))
		if f.Ends {
			text += fmt.Sprintf(", no longer a change of over %s", shown(*n.Changes, "%"))
		}
		return text + "."
	}
	usual, _ := UsualOf(r.Usual, r.Counts)
	between := fmt.Sprintf("%s to %s", whole0(math.Ceil, usual.Low, r.Counts, f.Unit),
		whole0(math.Floor, usual.High, r.Counts, f.Unit))
	if f.Ends {
		return text + fmt.Sprintf(", as usual at this time again (%s).", between)
	}
	word := "above"
	if value < usual.Low {
		word = "below"
	}
	return text + fmt.Sprintf(", %s the usual %s (median of the last %d weeks: %s).", word, between, len(r.Usual),
		shown(usual.Median, f.Unit))
}

// whole0 shows a bound of the usual range; for counts it is the last whole number inside.
func whole0(towards func(float64) float64, bound float64, counts bool, unit string) string {
	if counts {
		bound = towards(bound)
	}
	return shown(bound, unit)
}

// when says what a number is about.
func (n *Notice) when(f *Facts) string {
	if n.ByHour() {
		from, to := f.From.In(n.loc), f.To.In(n.loc)
		return fmt.Sprintf("on %s from %s to %s (%s)", from.Format("Mon 2 Jan"), from.Format("15:04"),
			to.Format("15:04"), n.loc)
	}
	first, err := time.Parse(time.DateOnly, f.Period)
	if n.Every == Minute || err != nil {
		return map[string]string{"last_30m": "in the last 30 minutes", "last_60m": "in the last 60 minutes",
			"last_24h": "in the last 24 hours", "today": "today", "this_week": "this week",
			"this_month": "this month"}[n.Range]
	}
	switch n.Every {
	case Weekly:
		return fmt.Sprintf("in the week from %s to %s", first.Format("2 Jan"), first.AddDate(0, 0, 6).Format("2 Jan"))
	case Monthly:
		return "in " + first.Format("January 2006")
	}
	return "on " + first.Format("Mon 2 Jan")
}

// event is the sentence of a notice about an event.
func (n *Notice) event(f *Facts) string {
	since := f.Began.In(n.loc).Format("2 Jan 15:04")
	switch {
	case n.Event == Silent && f.Ends:
		return fmt.Sprintf("%s has pageviews again. It was silent for %s.", f.Website,
			spell(f.Now.Sub(f.Began)+time.Duration(n.Silence())*time.Minute))
	case n.Event == Silent:
		return fmt.Sprintf("%s has had no pageviews for %s. Usually there are some at this time.", f.Website,
			spell(time.Duration(n.Silence())*time.Minute))
	case n.Event == Monitor && f.Ends:
		return fmt.Sprintf("The monitor %s is up again. It was down from %s on, for %s.", f.About, since,
			spell(f.Now.Sub(f.Began)))
	case n.Event == Monitor:
		return fmt.Sprintf("The monitor %s is down.", f.About)
	case n.Event == Experiment && f.Ends:
		return fmt.Sprintf("%s: the experiment with the flag %s is not decided any more.", f.Website, f.About)
	case n.Event == Experiment:
		return fmt.Sprintf("%s: the experiment with the flag %s is decided. The variant %s converts %s of %s visitors; the next best, %s, %s of %s.",
			f.Website, f.About, f.Best.Name, shown(f.Best.Rate()*100, "%"), shown(f.Best.Visitors, ""), f.Other.Name,
			shown(f.Other.Rate()*100, "%"), shown(f.Other.Visitors, ""))
	case n.Event == Backup && f.Ends:
		return "Regular backups succeed again."
	case n.Event == Backup:
		return "The regular backup failed, or the newest one is too old."
	case f.Ends:
		return fmt.Sprintf("%s has used %s of its %s events of this month, no longer close to all of them.", f.Website,
			shown(float64(f.Used), ""), shown(float64(f.Limit), ""))
	}
	return fmt.Sprintf("%s has used %s of its %s events of this month (%s).", f.Website, shown(float64(f.Used), ""),
		shown(float64(f.Limit), ""), shown(100*float64(f.Used)/max(float64(f.Limit), 1), "%"))
}

// shown returns a number with at most two decimals, and its unit.
func shown(n float64, unit string) string {
	if math.IsNaN(n) {
		return "unknown"
	}
	text := strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
	if text == "-0" {
		text = "0"
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

// spell returns a time as people say it.
func spell(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	hours, days := minutes/60, minutes/60/24
	switch {
	case minutes < 120:
		return fmt.Sprintf("%d minutes", minutes)
	case hours < 48 && minutes%60 == 0:
		return fmt.Sprintf("%d hours", hours)
	case hours < 48:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	}
	return fmt.Sprintf("%d days", days)
}
