package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/internal/front"
)

// A mediaTypeError says which header of a body is not that of plain JSON.
type mediaTypeError struct{ header, sent string }

// Error says what came, and what was wanted.
func (e *mediaTypeError) Error() string {
	if e.header == "Content-Encoding" {
		return fmt.Sprintf("The body must be plain application/json in UTF-8, and came with Content-Encoding %s: send it uncompressed", e.sent)
	}
	return fmt.Sprintf("The body must be application/json in UTF-8, and came as %s: send the header Content-Type: application/json", e.sent)
}

// checkMediaType tells what keeps a body with these headers from being JSON in UTF-8 as it stands.
// A body that does not say what it is counts as such.
func checkMediaType(h http.Header) error {
	for _, coding := range h.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return &mediaTypeError{"Content-Encoding", shortened(coding)}
		}
	}
	if text := h.Get("Content-Type"); text != "" && !front.IsJSON(text) {
		return &mediaTypeError{"Content-Type", shortened(text)}
	}
	return nil
}

// shortened bounds a caller's text to 64 printable characters.
func shortened(text string) string {
	const longest = 64
	short := fmt.Sprintf("%+.*q", longest, text)
	if len([]rune(text)) > longest {
		short += "…"
	}
	return short
}
