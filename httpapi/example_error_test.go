package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
)

// planEnded is an error of a host with its own code.
type planEnded struct{ owner string }

func (e planEnded) Error() string { return e.owner + " has not paid" } // only for the log

func (planEnded) ErrorCode() httpapi.ErrorCode {
	return httpapi.ErrorCode{Code: "PLAN_ENDED", Status: http.StatusPaymentRequired, Message: "Your plan has ended"}
}

// A host's own middleware sends errors in the format of the API.
func ExampleWriteError() {
	for _, err := range []error{auth.ErrForbidden, planEnded{"acme"}} {
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		r.Header.Set("X-Request-ID", "req_1")
		httpapi.WriteError(w, r, fmt.Errorf("exports: %w", err))
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 403 {"success":false,"error":"Insufficient permissions","code":"FORBIDDEN","requestId":"req_1"}
	// 402 {"success":false,"error":"Your plan has ended","code":"PLAN_ENDED","requestId":"req_1"}
}
