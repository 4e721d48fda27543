package archtest

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	pageLink  = regexp.MustCompile(`\]\(([^)\s:#]*\.md)?(#[^)\s]*)?\)`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// checkLinks finds links between Markdown pages whose page or heading does not exist.
func checkLinks(t *tree) (out []finding) {
	for _, name := range slices.Sorted(maps.Keys(t.texts)) {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, link := range pageLink.FindAllStringSubmatch(t.texts[name], -1) {
			page, anchor := name, link[2]
			if link[1] != "" {
				page = path.Join(path.Dir(name), link[1])
			}
			text, exists := t.texts[page]
			if !exists || anchor != "" && !slices.Contains(anchors(text), anchor) {
				out = append(out, finding{"links", name, "links to " + link[1] + link[2] + ", which does not exist"})
			}
		}
	}
	return out
}

// anchors returns the names that GitHub gives to the headings of a page. It numbers repeated ones, to which no page
// links.
func anchors(page string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		text := notAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(h[1])), "")
		all = append(all, "#"+strings.ReplaceAll(text, " ", "-"))
	}
	return all
}
