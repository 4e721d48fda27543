package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/importer"
)

// The shortest time between two changes of a progress bar, and between two lines of progress.
const (
	barPause  = 100 * time.Millisecond
	linePause = 2 * time.Second
)

// An importBar shows the progress of an import: a bar on a terminal, lines elsewhere.
type importBar struct {
	e     environment
	bar   bool
	drawn bool
	shown time.Time
}

func newImportBar(e environment) *importBar {
	return &importBar{e: e, bar: site.IsTerminal(e.errs), shown: e.now()}
}

// show shows p, unless something was shown just before.
func (b *importBar) show(p importer.Progress) {
	at := b.e.now()
	if wait := at.Sub(b.shown); wait < barPause || !b.bar && wait < linePause {
		return
	}
	b.shown = at
	if b.bar {
		b.drawn = true
		_, _ = fmt.Fprintf(b.e.errs, "\r\x1b[K%s", progressText(p, true))
		return
	}
	_, _ = fmt.Fprintln(b.e.errs, progressText(p, false))
}

// end removes the bar.
func (b *importBar) end() {
	if b.drawn {
		_, _ = fmt.Fprint(b.e.errs, "\r\x1b[K")
	}
}

const barWidth = 24

func progressText(p importer.Progress, bar bool) string {
	doing := "importing"
	if p.Again {
		doing = "reading again"
	}
	text := fmt.Sprintf("%s %s", doing, clean(filepath.Base(p.Source)))
	if p.Sources > 1 {
		text += fmt.Sprintf(" (%d of %d)", min(p.Ended+1, p.Sources), p.Sources)
	}
	if p.Size > 0 {
		share := min(float64(p.Read)/float64(p.Size), 1)
		if bar {
			full := int(share * barWidth)
			text += " [" + strings.Repeat("=", full) + strings.Repeat(" ", barWidth-full) + "]"
		}
		text += fmt.Sprintf(" %3.0f %%", share*100)
	}
	return text + fmt.Sprintf(", %d records, %d taken", p.Records, p.Taken)
}
