package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// readJSON reads a body that must be a JSON object.
func (a *api) readJSON(r *front.Request) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	body, err := r.ReadBody(a.cfg.MaxBody)
	if err != nil {
		return nil, err
	}
	wrong := mistake.JSON(body)
	if body = bytes.TrimSpace(body); wrong == "" && body[0] != '{' {
		wrong = mistake.Body("The body", mistake.Kind(body))
	}
	if wrong != "" {
		return nil, query.Errors{{Code: query.InvalidJSON, Message: wrong}}
	}
	return body, nil
}

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
