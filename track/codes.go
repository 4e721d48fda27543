package track

import (
	"net/http"
	"slices"
	"time"
)

// An ErrorCode is one kind of error: the field code of an error's body, or of one item's
// result, with its status and texts.
type ErrorCode struct {
	Code    string
	Status  int           // of HTTP, when it fails the whole request
	Message string        // what senders are told
	When    string        // for people
	Retry   time.Duration // for Retry-After; 0 means none, or the limiter's
}

// retryLater is when a sender may try again after something was down.
const retryLater = 5 * time.Second

// A code is a row of the table below. Nothing else can become the code of an answer.
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
	codeUnavailable
)

var codes = [...]ErrorCode{
	codeIngestTooLarge:  {"INGEST_PAYLOAD_TOO_LARGE", http.StatusRequestEntityTooLarge, "Payload too large", "The body is longer than the service takes.", 0},
	codeTrackTooLarge:   {"TRACK_PAYLOAD_TOO_LARGE", http.StatusRequestEntityTooLarge, "Payload too large", "The same on /track.", 0},
	codeErrorsTooLarge:  {"INGEST_ERRORS_BODY_TOO_LARGE", http.StatusRequestEntityTooLarge, "Error batch too large", "The same on /errors.", 0},
	codeLateBody:        {"REQUEST_TIMEOUT", http.StatusRequestTimeout, "The body did not arrive in time", "The body took more than ten seconds to arrive; nothing was stored, and it may be sent again.", 0},
	codeInvalidJSON:     {"INVALID_JSON", http.StatusBadRequest, "Invalid request body", "The body is not JSON, or not of the shape that the route takes.", 0},
	codeTrackBody:       {"TRACK_INVALID_BODY", http.StatusBadRequest, "Invalid request body", "The same on /track.", 0},
	codeNotArray:        {"INGEST_BATCH_NOT_ARRAY", http.StatusBadRequest, "Batch endpoint expects array of events", "The body is JSON, and no array.", 0},
	codeTooMany:         {"INGEST_BATCH_TOO_LARGE", http.StatusBadRequest, "Batch too large", "There are more items than the route takes, or more than 20 000 values in all, which the message says.", 0},
	codeBadEvent:        {"INVALID_EVENT_SCHEMA", http.StatusBadRequest, "Invalid event schema", "Fields of the item are wrong; errors lists all that are.", 0},
	codeUnknownType:     {"INGEST_UNKNOWN_EVENT_TYPE", http.StatusBadRequest, "Unknown event type", "The item's type is none that the route takes.", 0},
	codeNoClient:        {"INGEST_MISSING_CLIENT_ID", http.StatusBadRequest, "Missing client ID", "The request names no website.", 0},
	codeBadClient:       {"INGEST_INVALID_CLIENT_ID", http.StatusBadRequest, "Invalid or inactive client ID", "There is no such website.", 0},
	codeMediaType:       {"UNSUPPORTED_MEDIA_TYPE", http.StatusUnsupportedMediaType, "The body must be JSON, plain or by gzip, and with a key of the type application/json", "The body is encoded in another way; or it came with a key and is not said to be application/json in UTF-8.", 0},
	codeNoWebsite:       {"TRACK_WEBSITE_NOT_FOUND", http.StatusNotFound, "Website not found", "There is no such website.", 0},
	codeWebsiteMissing:  {"TRACK_MISSING_WEBSITE_ID", http.StatusBadRequest, "Missing websiteId: the key does not reach exactly one website", "The item does not say whose it is.", 0},
	codeIdentifyMissing: {"IDENTIFY_MISSING_WEBSITE_ID", http.StatusBadRequest, "Missing websiteId", "The same on /identify.", 0},
	codeWebsiteMismatch: {"TRACK_WEBSITE_SCOPE_MISMATCH", http.StatusForbidden, "Website scope mismatch", "The item's website is not the request's, or the key does not reach it.", 0},
	codeNoCredentials:   {"TRACK_MISSING_CREDENTIALS", http.StatusUnauthorized, "API key or website_id required", "There is neither.", 0},
	codeAuthRequired:    {"AUTH_REQUIRED", http.StatusUnauthorized, "Authentication required", "There is no key, or it is unknown, disabled, revoked or expired; one answer for all.", 0},
	codeNoScope:         {"TRACK_MISSING_SCOPE", http.StatusForbidden, "API key missing track:events scope", "The key may not send events.", 0},
	codeForbidden:       {"FORBIDDEN", http.StatusForbidden, "Insufficient permissions", "The key does not reach the link or the monitor, or there is none.", 0},
	codeOrigin:          {"INGEST_ORIGIN_NOT_AUTHORIZED", http.StatusForbidden, "Origin not authorized", "The website takes no events from pages of this origin, or none without an origin.", 0},
	codeAddress:         {"INGEST_IP_NOT_AUTHORIZED", http.StatusForbidden, "IP address not authorized", "The website takes no events from this address.", 0},
	codePaused:          {"WEBSITE_PAUSED", http.StatusForbidden, "Website is paused", "The website takes no events now.", 0},
	codeKeyedEvents:     {"TRACK_KEY_REQUIRED", http.StatusForbidden, "Custom events of this website need an API key", "The website takes custom events from senders with a key alone.", 0},
	codeQuota:           {"BILLING_LIMIT_EXCEEDED", http.StatusPaymentRequired, "Event quota exceeded", "The website has as many events this month as its rules allow. Until the next, repeats of events that are stored are refused, too.", 0},
	codeQuotaDown:       {"BILLING_CHECK_UNAVAILABLE", http.StatusServiceUnavailable, "Event quota cannot be checked, retry later", "It is not known how many events the website has; nothing was stored.", retryLater},
	codeManyProfiles:    {"PROFILE_LIMIT_EXCEEDED", http.StatusForbidden, "The website has too many profiles", "The profile is new, and the website has 1 000 000 profiles, or 500 000 from senders without a key when this sender has none. Profiles that exist can still be changed.", 0},
	codeEmptyList:       {"EMPTY_LIST", http.StatusBadRequest, "The list is empty", "The body is an empty array; it must have at least one item.", 0},
	codeTooOld:          {"EVENT_TOO_OLD", http.StatusBadRequest, "Event is too old", "The event's timestamp lies further back than is taken on this route; /track takes any with a key, where other routes of events read none.", 0},
	codeRateLimited:     {"TRACK_RATE_LIMITED", http.StatusTooManyRequests, "Rate limit exceeded", "A limit is used up: limit, remaining, reset (Unix milliseconds) and retryAfter (seconds) say which and until when.", 0},
	codeNotFound:        {"NOT_FOUND", http.StatusNotFound, "Not found", "No route has this path; the message names the nearest one.", 0},
	codeMethod:          {"METHOD_NOT_ALLOWED", http.StatusMethodNotAllowed, "This endpoint does not support the method", "The endpoint has other methods: the message and the header Allow name them.", 0},
	codeInternal:        {"INTERNAL_SERVER_ERROR", http.StatusInternalServerError, "Internal server error", "The log has the cause, by the request's id.", 0},
	codeLookupDown:      {"WEBSITE_LOOKUP_UNAVAILABLE", http.StatusServiceUnavailable, "Website lookup unavailable, retry later", "Websites cannot be looked up now; nothing was stored.", retryLater},
	codeDeliveryDown:    {"DELIVERY_UNAVAILABLE", http.StatusServiceUnavailable, "Event delivery unavailable, retry later", "It is not known whether the events were stored: send them again with the same ids.", retryLater},
	codeUnavailable:     {"SERVICE_UNAVAILABLE", http.StatusServiceUnavailable, "Service unavailable, retry later", "Something else that is needed is away; nothing was stored.", retryLater},
}

// Codes lists every code of this package's answers, in a new slice. The set is closed.
func Codes() []ErrorCode { return slices.Clone(codes[:]) }
