package track

import (
	"errors"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A problem is what is wrong with a request or with one item, as the sender is told.
type problem struct {
	status  int
	code    string
	message string
	fields  []fieldError
	retry   time.Duration // for Retry-After; 0 means none
	cause   error         // for the log alone

	rate *auth.RateStatus // of a no of the limiter
}

// A fieldError is one mistake in an item. Field is its dotted path.
type fieldError struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error makes a problem an error.
func (p *problem) Error() string { return "track: " + p.message }

// Unwrap returns the cause.
func (p *problem) Unwrap() error { return p.cause }

// The mistakes of senders. They are values: whoever tells one takes a copy.
var (
	ingestTooLarge  = problem{status: http.StatusRequestEntityTooLarge, code: "INGEST_PAYLOAD_TOO_LARGE", message: "Payload too large"}
	trackTooLarge   = problem{status: http.StatusRequestEntityTooLarge, code: "TRACK_PAYLOAD_TOO_LARGE", message: "Payload too large"}
	errorsTooLarge  = problem{status: http.StatusRequestEntityTooLarge, code: "INGEST_ERRORS_BODY_TOO_LARGE", message: "Error batch too large"}
	badJSON         = problem{status: http.StatusBadRequest, code: "INVALID_JSON", message: "Invalid request body"}
	badTrack        = problem{status: http.StatusBadRequest, code: "TRACK_INVALID_BODY", message: "Invalid request body"}
	notArray        = problem{status: http.StatusBadRequest, code: "INGEST_BATCH_NOT_ARRAY", message: "Batch endpoint expects array of events"}
	tooMany         = problem{status: http.StatusBadRequest, code: "INGEST_BATCH_TOO_LARGE", message: "Batch too large"}
	badEvent        = problem{status: http.StatusBadRequest, code: "INVALID_EVENT_SCHEMA", message: "Invalid event schema"}
	unknownType     = problem{status: http.StatusBadRequest, code: "INGEST_UNKNOWN_EVENT_TYPE", message: "Unknown event type"}
	noClient        = problem{status: http.StatusBadRequest, code: "INGEST_MISSING_CLIENT_ID", message: "Missing client ID"}
	badClient       = problem{status: http.StatusBadRequest, code: "INGEST_INVALID_CLIENT_ID", message: "Invalid or inactive client ID"}
	encoded         = problem{status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE", message: "Content-Encoding is not supported"}
	noSuchSite      = problem{status: http.StatusNotFound, code: "TRACK_WEBSITE_NOT_FOUND", message: "Website not found"}
	siteMissing     = problem{status: http.StatusBadRequest, code: "TRACK_MISSING_WEBSITE_ID", message: "Missing websiteId: the key does not reach exactly one website"}
	siteMismatch    = problem{status: http.StatusForbidden, code: "TRACK_WEBSITE_SCOPE_MISMATCH", message: "Website scope mismatch"}
	noCredentials   = problem{status: http.StatusUnauthorized, code: "TRACK_MISSING_CREDENTIALS", message: "API key or website_id required"}
	unauthenticated = problem{status: http.StatusUnauthorized, code: "AUTH_REQUIRED", message: "Authentication required"}
	noScope         = problem{status: http.StatusForbidden, code: "TRACK_MISSING_SCOPE", message: "API key missing track:events scope"}
	forbidden       = problem{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions"}
	limited         = problem{status: http.StatusTooManyRequests, code: "TRACK_RATE_LIMITED", message: "Rate limit exceeded"}
	crowded         = problem{status: http.StatusTooManyRequests, code: "TRACK_RATE_LIMITED", message: "Too many requests of the key at the same time"}
	notFound        = problem{status: http.StatusNotFound, code: "NOT_FOUND", message: "Not found"}
	wrongMethod     = problem{status: http.StatusMethodNotAllowed, code: "METHOD_NOT_ALLOWED", message: "Method not allowed"}
	internal        = problem{status: http.StatusInternalServerError, code: "INTERNAL_SERVER_ERROR", message: "Internal server error"}
	lookupDown      = problem{status: http.StatusServiceUnavailable, code: "WEBSITE_LOOKUP_UNAVAILABLE", message: "Website lookup unavailable, retry later", retry: retryLater}
	deliveryDown    = problem{status: http.StatusServiceUnavailable, code: "DELIVERY_UNAVAILABLE", message: "Event delivery unavailable, retry later", retry: retryLater}
	unavailable     = problem{status: http.StatusServiceUnavailable, code: "SERVICE_UNAVAILABLE", message: "Service unavailable, retry later", retry: retryLater}
)

// retryLater is when a sender may try again after something was down.
const retryLater = 5 * time.Second

// because returns a copy of p with its cause.
func (p problem) because(err error) *problem {
	p.cause = err
	return &p
}

// tell returns a copy of p.
func (p problem) tell() *problem { return &p }

// told is err as a problem; what nobody foresaw is an internal error.
func told(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return internal.because(err)
}

// retryable reports whether the same request may succeed later.
func (p *problem) retryable() bool {
	switch p.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return p.status >= http.StatusInternalServerError
}
