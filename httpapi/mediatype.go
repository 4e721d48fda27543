package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/internal/front"
)

// A mediaTypeError names the header that does not fit plain JSON.
type mediaTypeError struct{ header, sent string }

// Error returns the sent header and the expected one.
func (e *mediaTypeError) Error() string {
	if e.header == "Content-Encoding" {
		return fmt.Sprintf("The body must be plain application/json in UTF-8, and came with Content-Encoding %s: send it uncompressed", e.sent)
	}
	return fmt.Sprintf("The body must be application/json in UTF-8, and came as %s: send the header Content-Type: application/json", e.sent)
}

// checkMediaType returns an error if the headers do not fit plain JSON in UTF-8. A body without Content-Type counts as
// JSON.
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

// shortened quotes text and cuts it to 64 printable characters.
func shortened(text string) string {
	const longest = 64
	short := fmt.Sprintf("%+.*q", longest, text)
	if len([]rune(text)) > longest {
		short += "…"
	}
	return short
}
