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

// websiteTag prints the script element for pages.
type websiteTag struct {
	ofOne

	Address string `default:"http://127.0.0.1:8080/ingest" placeholder:"URL" help:"Public address of tracking: https://stats.shop.example/ingest, or https://t.shop.example for a server with --track-addr."`
	Latest  bool   `help:"Use the address without a hash: pages get every later version, and browsers do not check its integrity."`
}

func (*websiteTag) Help() string {
	return `By default the address of the script contains the hash of this version, and browsers check its integrity. If an upgrade of the server changes the script, the old address no longer exists: print the element again.`
}

func (t *websiteTag) Run(ctx context.Context, e environment) error {
	if u, err := url.Parse(t.Address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--address %q is not of the form https://host or https://host/path", t.Address)
	}
	if u, err := url.Parse(t.Address); err == nil && strings.Trim(u.Path, "/") == "" {
		_, _ = fmt.Fprintf(e.errs,
			"note: without serve --track-addr, the address of tracking ends in /ingest: %s/ingest\n",
			strings.TrimSuffix(t.Address, "/"))
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

// tagView is the JSON output.
type tagView struct {
	WebsiteID string `json:"websiteId"`
	Element   string `json:"element"`
}

// element returns an element that enables all measurements. Website owners can remove attributes.
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
