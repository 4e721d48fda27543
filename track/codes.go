package track

import (
	"net/http"
	"slices"
	"time"
)

// An ErrorCode is a kind of error, with its status and texts. Its Code is in the body of an error, or in the
// result of an item.
type ErrorCode struct {
	Code    string
	Status  int           // HTTP status, if the whole request fails
	Message string        // sent to clients
	When    string        // an explanation for people
	Retry   time.Duration // for Retry-After; 0 means none, or the limiter's value
}

// retryLater is the Retry-After for unavailable dependencies.
const retryLater = 5 * time.Second

// retryFull is the Retry-After while the disk is full. Somebody has to free space.
const retryFull = 30 * time.Second

// A code is an index into the table below, so that no other codes can be sent.
type code int

const (
	codeIngestTooLarge code = iota
	codeTrackTooLarge
	codeErrorsTooLarge
	codeLateBody
	codeInvalidJSON
	codeTrackBody
	codeNotArray
	codeTooMany
	codeBadEvent
	codeUnknownType
	codeNoClient
	codeBadClient
	codeMediaType
	codeNoWebsite
	codeWebsiteMissing
	codeIdentifyMissing
	codeWebsiteMismatch
	codeNoCredentials
	codeAuthRequired
	codeNoScope
	codeForbidden
	codeOrigin
	codeAddress
	codePaused
	codeKeyedEvents
	codeQuota
	codeQuotaDown
	codeManyProfiles
	codeEmptyList
	codeTooOld
	codeRateLimited
	codeNotFound
	codeMethod
	codeInternal
	codeLookupDown
	codeDeliveryDown
	codeFull
	codeUnavailable
)

var codes = [...]ErrorCode{
	codeIngestTooLarge: {"INGEST_PAYLOAD_TOO_LARGE", http.StatusRequestEntityTooLarge, "Payload too large",
		"The body exceeds the limit.", 0},
	codeTrackTooLarge: {"TRACK_PAYLOAD_TOO_LARGE", http.StatusRequestEntityTooLarge, "Payload too large",
		"The same on /track.", 0},
	codeErrorsTooLarge: {"INGEST_ERRORS_BODY_TOO_LARGE", http.StatusRequestEntityTooLarge, "Error batch too large",
		"The same on /errors.", 0},
	codeLateBody: {"REQUEST_TIMEOUT", http.StatusRequestTimeout, "The body did not arrive in time",
		"The body took more than ten seconds to arrive. Nothing was stored; send it again.", 0},
	codeInvalidJSON: {"INVALID_JSON", http.StatusBadRequest, "Invalid request body",
		"The body is not JSON, or does not have the form that the route expects.", 0},
	codeTrackBody: {"TRACK_INVALID_BODY", http.StatusBadRequest, "Invalid request body", "The same on /track.",
		0},
	codeNotArray: {"INGEST_BATCH_NOT_ARRAY", http.StatusBadRequest, "Batch endpoint expects array of events",
		"The body is JSON, but not an array.", 0},
	codeTooMany: {"INGEST_BATCH_TOO_LARGE", http.StatusBadRequest, "Batch too large",
		"The body has more items than the route allows, or more than 20 000 values; the message says which.", 0},
	codeBadEvent: {"INVALID_EVENT_SCHEMA", http.StatusBadRequest, "Invalid event schema",
		"Fields of the item are invalid; errors lists all of them.", 0},
	codeUnknownType: {"INGEST_UNKNOWN_EVENT_TYPE", http.StatusBadRequest, "Unknown event type",
		"The route does not support this type of item.", 0},
	codeNoClient: {"INGEST_MISSING_CLIENT_ID", http.StatusBadRequest, "Missing client ID",
		"The request names no website.", 0},
	codeBadClient: {"INGEST_INVALID_CLIENT_ID", http.StatusBadRequest, "Invalid or inactive client ID",
		"The website does not exist.", 0},
	codeMediaType: {"UNSUPPORTED_MEDIA_TYPE", http.StatusUnsupportedMediaType,
		"The body must be JSON, plain or by gzip, and with a key of the type application/json",
		"The body has another encoding, or a request with a key has a Content-Type other than application/json in UTF-8.", 0},
	codeNoWebsite: {"TRACK_WEBSITE_NOT_FOUND", http.StatusNotFound, "Website not found",
		"The website does not exist.", 0},
	codeWebsiteMissing: {"TRACK_MISSING_WEBSITE_ID", http.StatusBadRequest,
		"Missing websiteId: the key does not reach exactly one website", "The item does not name its website.", 0},
	codeIdentifyMissing: {"IDENTIFY_MISSING_WEBSITE_ID", http.StatusBadRequest, "Missing websiteId",
		"The same on /identify.", 0},
	codeWebsiteMismatch: {"TRACK_WEBSITE_SCOPE_MISMATCH", http.StatusForbidden, "Website scope mismatch",
		"The website of the item differs from the website of the request, or the key may not use it.", 0},
	codeNoCredentials: {"TRACK_MISSING_CREDENTIALS", http.StatusUnauthorized, "API key or website_id required",
		"The request has neither a key nor a website.", 0},
	codeAuthRequired: {"AUTH_REQUIRED", http.StatusUnauthorized, "Authentication required",
		"The key is missing, unknown, disabled, revoked or expired; the answer is the same for all.", 0},
	codeNoScope: {"TRACK_MISSING_SCOPE", http.StatusForbidden, "API key missing track:events scope",
		"The key may not send events.", 0},
	codeForbidden: {"FORBIDDEN", http.StatusForbidden, "Insufficient permissions",
		"The key may not use the link or monitor, or it does not exist.", 0},
	codeOrigin: {"INGEST_ORIGIN_NOT_AUTHORIZED", http.StatusForbidden, "Origin not authorized",
		"The website does not accept events from pages of this origin, or requires an origin.", 0},
	codeAddress: {"INGEST_IP_NOT_AUTHORIZED", http.StatusForbidden, "IP address not authorized",
		"The website does not accept events from this address.", 0},
	codePaused: {"WEBSITE_PAUSED", http.StatusForbidden, "Website is paused",
		"The website does not accept events at present.", 0},
	codeKeyedEvents: {"TRACK_KEY_REQUIRED", http.StatusForbidden, "Custom events of this website need an API key",
		"The website accepts custom events only with a key.", 0},
	codeQuota: {"BILLING_LIMIT_EXCEEDED", http.StatusPaymentRequired, "Event quota exceeded",
		"The website has reached its quota for this month. Until next month, repeats of stored events are refused, too.", 0},
	codeQuotaDown: {"BILLING_CHECK_UNAVAILABLE", http.StatusServiceUnavailable,
		"Event quota cannot be checked, retry later",
		"The events of the website cannot be counted at present; nothing was stored.", retryLater},
	codeManyProfiles: {"PROFILE_LIMIT_EXCEEDED", http.StatusForbidden, "The website has too many profiles",
		"The profile is new, and the website has 1 000 000 profiles already, or 500 000 if the request has no key. Existing profiles can still be changed.", 0},
	codeEmptyList: {"EMPTY_LIST", http.StatusBadRequest, "The list is empty",
		"The body is an empty array; it must have at least one item.", 0},
	codeTooOld: {"EVENT_TOO_OLD", http.StatusBadRequest, "Event is too old",
		"The event is older than the route accepts, or than the website keeps events. With a key, /track accepts events of any other age.", 0},
	codeRateLimited: {"TRACK_RATE_LIMITED", http.StatusTooManyRequests, "Rate limit exceeded",
		"The caller has used up a limit. The body has limit, remaining, reset (Unix milliseconds) and retryAfter (seconds).", 0},
	codeNotFound: {"NOT_FOUND", http.StatusNotFound, "Not found",
		"No route has this path; the message names the nearest one.", 0},
	codeMethod: {"METHOD_NOT_ALLOWED", http.StatusMethodNotAllowed,
		"This endpoint does not support the method",
		"The message and the header Allow name the methods of the endpoint.", 0},
	codeInternal: {"INTERNAL_SERVER_ERROR", http.StatusInternalServerError, "Internal server error",
		"The log has the cause, with the request id.", 0},
	codeLookupDown: {"WEBSITE_LOOKUP_UNAVAILABLE", http.StatusServiceUnavailable,
		"Website lookup unavailable, retry later", "Websites cannot be looked up now; nothing was stored.", retryLater},
	codeDeliveryDown: {"DELIVERY_UNAVAILABLE", http.StatusServiceUnavailable,
		"Event delivery unavailable, retry later",
		"The events may or may not be stored: send them again with the same ids.", retryLater},
	codeFull: {"STORAGE_FULL", http.StatusServiceUnavailable,
		"The service cannot store events: its disk is full",
		"The disk of the service has too little free space. Nothing was stored; send the events again later.",
		retryFull},
	codeUnavailable: {"SERVICE_UNAVAILABLE", http.StatusServiceUnavailable, "Service unavailable, retry later",
		"Another part of the service is not available; nothing was stored.", retryLater},
}

// Codes returns every code of this package's responses in a new slice.
func Codes() []ErrorCode { return slices.Clone(codes[:]) }
