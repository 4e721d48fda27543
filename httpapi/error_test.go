package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// errSecret is an error whose text must not reach callers.
var errSecret = errors.New("pq: password of 10.0.0.7 is wrong")

func TestErrors(t *testing.T) {
	limit := auth.Decision{Limit: 120, Remaining: 0, Reset: now.Add(1500 * time.Millisecond)}
	covered := make([]bool, len(errorTable))
	for _, tc := range []struct {
		name   string
		err    error
		status int
		body   string // without success and requestId
		header [2]string
	}{
		{"no key", auth.ErrMissing, 401, `"error":"Authentication required","code":"AUTH_REQUIRED",` +
			`"details":[{"field":"Authorization","message":"is missing; send \"Authorization: Bearer KEY\" or \"x-api-key: KEY\""}]`, [2]string{"Www-Authenticate", "Bearer"}},
		{"no cookie of a host", &auth.ChallengeError{Challenge: `Session realm="shop"`, Err: auth.ErrMissing}, 401,
			`"error":"Authentication required","code":"AUTH_REQUIRED"`,
			[2]string{"Www-Authenticate", `Session realm="shop"`}},
		{"a bad key", fmt.Errorf("x: %w", auth.ErrInvalid), 401,
			`"error":"Authentication required","code":"AUTH_REQUIRED"`,
			[2]string{"Www-Authenticate", `Bearer error="invalid_token"`}},
		{"forbidden, by a host", fmt.Errorf("x: %w", auth.ErrForbidden), 403,
			`"error":"Insufficient permissions","code":"FORBIDDEN"`,
			[2]string{"Www-Authenticate", `Bearer error="insufficient_scope"`}},
		{"forbidden, with the scope", lacks(auth.ManageFlags), 403,
			`"error":"Insufficient permissions","code":"FORBIDDEN","details":[{"field":"Authorization","message":"needs a key with the scope manage:flags"}]`,
			[2]string{"Www-Authenticate", `Bearer error="insufficient_scope", scope="manage:flags"`}},
		{"too fast", &front.LimitedError{Decision: limit, Status: limit.RateStatus(now)}, 429,
			`"error":"Rate limit exceeded","code":"RATE_LIMITED","limit":120,"remaining":0,"reset":1774785601500,"retryAfter":2`,
			[2]string{"Retry-After", "2"}},
		{"more than a limit allows", &front.CostError{Cost: 30, Limit: 20}, 400,
			`"error":"The request costs 30 of a limit of 20 per minute: split it into smaller requests","code":"VALIDATION_ERROR"`, [2]string{}},
		{"a body that does not end", &front.BodyError{Err: io.ErrUnexpectedEOF}, 400,
			`"error":"The body could not be read to its end","code":"INVALID_JSON","details":[{"field":"","message":"The body could not be read to its end"}]`, [2]string{}},
		{"a body that arrives too late", &front.BodyError{Err: os.ErrDeadlineExceeded, Within: time.Second}, 408,
			`"error":"The body did not arrive in time","code":"REQUEST_TIMEOUT"`, [2]string{}},
		{"a full disk", fmt.Errorf("commit flags: %w", store.ErrFull), 503,
			`"error":"The service cannot store changes: its disk is full","code":"STORAGE_FULL"`,
			[2]string{"Retry-After", "5"}},
		{"no subject", errNoSubject, 400,
			`"error":"One of website_id, link_id and schedule_id is required in the address","code":"MISSING_PROJECT_ID"`, [2]string{}},
		{"mistakes", query.Errors{
			{Code: query.Invalid, Field: "preset", Message: `unknown preset "last_8d"`, Suggestion: "last_7d",
				Allowed: []string{"x"}, Err: errSecret},
			{Code: query.BadFilter, Field: "filters[0].op", Message: "is <not> known"},
		}, 400,
			`"error":"preset: unknown preset \"last_8d\" (2 problems, see details)","code":"VALIDATION_ERROR","details":[` +
				`{"field":"preset","message":"unknown preset \"last_8d\"","suggestion":"last_7d"},{"field":"filters[0].op","message":"is <not> known"}]`, [2]string{}},
		{"an empty list of mistakes", query.Errors{}, 400,
			`"error":"The request is not valid","code":"VALIDATION_ERROR"`, [2]string{}},
		{"no JSON", &query.Error{Code: query.InvalidJSON, Message: "The body is empty"}, 400,
			`"error":"The body is empty","code":"INVALID_JSON","details":[{"field":"","message":"The body is empty"}]`,
			[2]string{}},
		{"a type that is forbidden",
			&query.Error{Code: query.Forbidden, Field: "parameters[0]", Message: "not for this key"}, 403,
			`"error":"parameters[0]: not for this key","code":"FORBIDDEN","details":[{"field":"parameters[0]","message":"not for this key"}]`,
			[2]string{"Www-Authenticate", `Bearer error="insufficient_scope"`}},
		{"a query that took too long", &query.Error{Code: query.TimedOut, Message: "too long", Err: errSecret}, 504,
			`"error":"too long","code":"TIMEOUT","details":[{"field":"","message":"too long"}]`, [2]string{}},
		{"a store that is away, as a query's error", &query.Error{Code: query.Unavailable, Message: "away"}, 503,
			`"error":"away","code":"SERVICE_UNAVAILABLE","details":[{"field":"","message":"away"}]`,
			[2]string{"Retry-After", "5"}},
		{"a query that failed", &query.Error{Code: query.Internal, Message: "The query failed", Err: errSecret}, 500,
			`"error":"The query failed","code":"INTERNAL_SERVER_ERROR","details":[{"field":"","message":"The query failed"}]`, [2]string{}},
		{"a body that is too large", &http.MaxBytesError{Limit: 9}, 413,
			`"error":"The body may have at most 9 bytes","code":"PAYLOAD_TOO_LARGE"`, [2]string{}},
		{"another media type", &mediaTypeError{"Content-Type", `"text/plain"`}, 415,
			`"error":"The body must be application/json in UTF-8, and came as \"text/plain\": send the header Content-Type: application/json","code":"UNSUPPORTED_MEDIA_TYPE",` +
				`"details":[{"field":"Content-Type","message":"The body must be application/json in UTF-8, and came as \"text/plain\": send the header Content-Type: application/json"}]`,
			[2]string{"Accept-Encoding", "identity"}},
		{"mistakes of a flag", fmt.Errorf("x: %w", flags.FieldErrors{{Field: "key", Message: "is required"}}), 400,
			`"error":"key is required","code":"VALIDATION_ERROR","details":[{"field":"key","message":"is required"}]`,
			[2]string{}},
		{"mistakes of a key", fmt.Errorf("x: %w", auth.FieldErrors{{Field: "grace", Message: "must be positive"}}), 400,
			`"error":"grace must be positive","code":"VALIDATION_ERROR","details":[{"field":"grace","message":"must be positive"}]`,
			[2]string{}},
		{"mistakes of a website", fmt.Errorf("x: %w", store.FieldErrors{{Field: "domain", Name: "domain",
			Message: "is required"}}), 400,
			`"error":"domain is required","code":"VALIDATION_ERROR","details":[{"field":"domain","message":"is required"}]`,
			[2]string{}},
		{"no such flag", fmt.Errorf("%w: f1", flags.ErrNotFound), 404, `"error":"Flag not found","code":"NOT_FOUND"`,
			[2]string{}},
		{"a flag that exists already", fmt.Errorf("%w: k", flags.ErrExists), 409,
			`"error":"A flag with this key already exists","code":"CONFLICT"`, [2]string{}},
		{"a flag that changed", flags.ErrConflict, 412,
			`"error":"The flag was changed meanwhile","code":"PRECONDITION_FAILED"`, [2]string{}},
		{"no route", front.ErrNoRoute, 404, `"error":"Not found","code":"NOT_FOUND"`, [2]string{}},
		{"not found, by a host", fmt.Errorf("x: %w", store.ErrNotFound), 404, `"error":"Not found","code":"NOT_FOUND"`,
			[2]string{}},
		{"another form", &formError{rowFormats[0], "has 2"}, 406,
			`"error":"text/csv has the rows of one parameter, and the request has 2: send Accept: application/json, or ask for one parameter","code":"NOT_ACCEPTABLE","details":[{"field":"Accept","message":"must allow application/json, because the request has 2"}]`, [2]string{}},
		{"another method", front.ErrMethod, 405,
			`"error":"This endpoint does not support the method","code":"METHOD_NOT_ALLOWED"`, [2]string{}},
		{"a store that is unavailable", fmt.Errorf("%w: %w", store.ErrUnavailable, errSecret), 503,
			`"error":"The service cannot answer now; try again later","code":"SERVICE_UNAVAILABLE"`,
			[2]string{"Retry-After", "5"}},
		{"a part that is unavailable", &front.UnavailableError{Part: "audit", Err: errSecret}, 503,
			`"error":"The service cannot answer now; try again later","code":"SERVICE_UNAVAILABLE"`,
			[2]string{"Retry-After", "5"}},
		{"a deadline", fmt.Errorf("%w: %w", context.DeadlineExceeded, errSecret), 504,
			`"error":"The answer took too long","code":"TIMEOUT"`, [2]string{}},
		{"a caller who hung up", context.Canceled, 503,
			`"error":"The service cannot answer now; try again later","code":"SERVICE_UNAVAILABLE"`,
			[2]string{"Retry-After", "5"}},
		{"a host's own", fmt.Errorf("x: %w", hostError{402}), 402, `"error":"Your plan has ended","code":"PLAN_ENDED"`,
			[2]string{}},
		{"a host's own refusal", hostError{429}, 429, `"error":"Your plan has ended","code":"PLAN_ENDED"`, [2]string{}},
		{"a host's own with a status of success", hostError{200}, 500,
			`"error":"Something went wrong on our side","code":"INTERNAL_SERVER_ERROR"`, [2]string{}},
		{"anything else", errSecret, 500, `"error":"Something went wrong on our side","code":"INTERNAL_SERVER_ERROR"`,
			[2]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			WriteError(rec, httptest.NewRequest("GET", "/", nil), tc.err)
			if rec.Code != tc.status {
				t.Errorf("status %d, want %d", rec.Code, tc.status)
			}
			id := rec.Header().Get("X-Request-ID")
			first, rest, _ := strings.Cut(tc.body, `,"code":`)
			code, rest, _ := strings.Cut(rest, `"`+`,`)
			want := `{"success":false,` + first + `,"code":` + strings.TrimSuffix(code, `"`) + `","requestId":"` + id +
				`"`
			if rest != "" {
				want += "," + rest
			}
			if diff := cmp.Diff(want+"}\n", rec.Body.String()); diff != "" {
				t.Error(diff)
			}
			if tc.header[0] != "" && rec.Header().Get(tc.header[0]) != tc.header[1] {
				t.Errorf("%s: %q, want %q", tc.header[0], rec.Header().Get(tc.header[0]), tc.header[1])
			}
			if rec.Header().Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("Content-Type %q", rec.Header().Get("Content-Type"))
			}
		})
		for i, row := range errorTable {
			if row.match(tc.err) {
				covered[i] = true
				break
			}
		}
	}
	for _, one := range sentinels {
		if row := rowOf(one.err); row >= 0 {
			covered[row] = true
		}
	}
	for i, ok := range covered {
		if !ok {
			t.Errorf("row %d of the table, %s, has no test", i, codes[errorTable[i].code].Code)
		}
	}
}

// hostError is an error of a host with this status.
type hostError struct{ status int }

func (hostError) Error() string { return errSecret.Error() }

func (e hostError) ErrorCode() ErrorCode {
	return ErrorCode{Code: "PLAN_ENDED", Status: e.status, Message: "Your plan has ended"}
}

func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	parameter := false // codes of whole requests come first
	for _, c := range Codes() {
		if c.Code == "" || c.When == "" || seen[c.Code] || (c.Status == 0) != (c.Message == "") {
			t.Errorf("%+v: empty or listed twice", c)
		}
		if parameter = parameter || c.Status == 0; parameter && c.Status != 0 {
			t.Errorf("%s comes after codes of single parameters", c.Code)
		}
		seen[c.Code] = true
	}
	for _, c := range query.Codes() {
		if !seen[string(c)] {
			t.Errorf("the code %s of query is missing", c)
		}
	}
}

func TestWriteErrorKeepsTheRequestID(t *testing.T) {
	for _, tc := range []struct{ name, set, sent, want string }{
		{"the one already on the answer", "outer", "inbound", "outer"},
		{"the inbound one", "", "inbound", "inbound"},
	} {
		rec, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-ID", tc.sent)
		if tc.set != "" {
			rec.Header().Set("X-Request-ID", tc.set)
		}
		WriteError(rec, r, auth.ErrForbidden)
		if got := rec.Header().Get("X-Request-ID"); got != tc.want || object(t, rec)["requestId"] != tc.want {
			t.Errorf("%s: %q, body %s", tc.name, got, rec.Body)
		}
	}
}

func TestCausesAreLoggedAndNotShown(t *testing.T) {
	for _, tc := range []struct {
		name, key string
		arrange   func(*world)
		status    int
		code      string
		logged    string
	}{
		{"the authenticator fails", "broken", func(*world) {}, 503, "SERVICE_UNAVAILABLE", "10.0.0.7"},
		{"the authenticator panics", "panic", func(*world) {}, 500, "INTERNAL_SERVER_ERROR", "10.0.0.7"},
		{"the directory fails", "all", func(w *world) { w.dir.err = errSecret }, 500, "INTERNAL_SERVER_ERROR",
			"10.0.0.7"},
		{"the directory has an error of the host's", "all", func(w *world) { w.dir.err = hostError{502} }, 502,
			"PLAN_ENDED", "10.0.0.7"},
		{"the directory is unavailable", "all",
			func(w *world) { w.dir.err = fmt.Errorf("%w: %w", store.ErrUnavailable, errSecret) }, 503,
			"SERVICE_UNAVAILABLE", "10.0.0.7"},
		{"the limiter fails", "all", func(w *world) {
			w.limiter.allow = func(auth.Class, string, int) (auth.Decision, error) { return auth.Decision{}, errSecret }
		}, 503, "SERVICE_UNAVAILABLE", "10.0.0.7"},
		{"the store fails", "all", func(w *world) { w.store.fail(errSecret) }, 500, "INTERNAL_SERVER_ERROR",
			"10.0.0.7"},
		{"the store is unavailable", "all",
			func(w *world) { w.store.fail(fmt.Errorf("%w: %w", store.ErrUnavailable, errSecret)) }, 503,
			"SERVICE_UNAVAILABLE", "10.0.0.7"},
		{"the audit trail fails", "all", func(w *world) { w.trail.err = errSecret }, 503, "SERVICE_UNAVAILABLE",
			"10.0.0.7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			tc.arrange(w)
			rec := w.send("POST", "/v1/query?website_id=site_a", tc.key, oneQuery)
			expect(t, rec, tc.status, tc.code)
			if strings.Contains(rec.Body.String(), "10.0.0.7") {
				t.Errorf("the response contains the cause: %s", rec.Body)
			}
			if log := w.log.String(); !strings.Contains(log, tc.logged) ||
				!strings.Contains(log, rec.Header().Get("X-Request-ID")) {
				t.Errorf("the log lacks the cause or the request: %s", log)
			}
			if e := w.trail.take(); len(e) != 1 {
				t.Errorf("audit: %+v", e)
			}
			if tc.status == 503 && rec.Header().Get("Retry-After") != "5" {
				t.Errorf("Retry-After %q", rec.Header().Get("Retry-After"))
			}
		})
	}
}

func TestASinkThatPanicsRefuses(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.Audit = panicky{} })
	expect(t, w.send("POST", "/v1/query?website_id=site_a", "all", oneQuery), 503, "SERVICE_UNAVAILABLE")
}

type panicky struct{}

func (panicky) Record(context.Context, auth.Entry) error { panic("sink") }

func TestACallerWhoHangsUpIsAudited(t *testing.T) {
	w := newWorld(t)
	w.store.block.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/query?website_id=site_a", strings.NewReader(oneQuery))
	r.Header.Set("X-Api-Key", "all")
	time.AfterFunc(20*time.Millisecond, cancel)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	expect(t, rec, 503, "SERVICE_UNAVAILABLE")
	if e := w.trail.take(); len(e) != 1 || e[0].Status != 503 || e[0].Outcome != "failed" {
		t.Errorf("audit: %+v", e)
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("logged as a failure of the server: %s", w.log)
	}
	if w.trail.ended {
		t.Error("the entry was recorded with a context that had ended")
	}
}
