//go:build cgo

package command

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track"
)

// websiteTag prints what a page needs to be counted.
type websiteTag struct {
	ofOne

	Address string `default:"http://127.0.0.1:8080/ingest" placeholder:"URL" help:"Address that tracking is reached at from outside, as https://t.shop.example."`
	Latest  bool   `help:"Name the script without its hash: pages get every later version by themselves, and browsers do not check it."`
}

func (*websiteTag) Help() string {
	return `By default the script is named with the hash of this version, which browsers check. After an upgrade of the server that name is gone when the script has changed: print the element anew then.`
}

func (t *websiteTag) Run(ctx context.Context, e environment) error {
	if u, err := url.Parse(t.Address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--address %q is not of the form https://host or https://host/path", t.Address)
	}
	return t.read(ctx, e, func(m *meta.Store) error {
		w, err := m.Website(ctx, t.ID)
		if err != nil {
			return t.explain("website", err)
		}
		view := tagView{WebsiteID: w.ID, Element: t.element(w.ID)}
		if t.JSON {
			return writeJSON(e.out, view)
		}
		_, err = io.WriteString(e.out, view.Element+"\n")
		return err
	})
}

// tagView is what programs are told.
type tagView struct {
	WebsiteID string `json:"websiteId"`
	Element   string `json:"element"`
}

// element asks for all that the script can tell of; who wants less takes attributes out.
func (t *websiteTag) element(id string) string {
	script := track.Tracker()
	path, pin := script.Path, fmt.Sprintf(` integrity="%s" crossorigin="anonymous"`, script.Integrity)
	if t.Latest {
		path, pin = "/tracker.js", ""
	}
	return fmt.Sprintf(`<script src="%s"%s data-client-id="%s"`+
		` data-track-outgoing-links data-track-web-vitals data-track-errors data-track-interactions defer></script>`,
		html.EscapeString(strings.TrimSuffix(t.Address, "/")+path), pin, html.EscapeString(id))
}
