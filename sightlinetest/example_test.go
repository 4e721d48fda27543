package sightlinetest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sightline-analytics/sightline/sightlinetest"
)

// An example of a host uses Open, because it has no *testing.T.
func ExampleOpen() {
	host, err := sightlinetest.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(context.Background())
	r := httptest.NewRequest(http.MethodGet, "/v1/query/websites", nil)
	r.Header.Set("X-Api-Key", host.Key)
	w := httptest.NewRecorder()
	host.API().ServeHTTP(w, r)
	fmt.Println(w.Code, strings.Contains(w.Body.String(), host.Website))
	// Output: 200 true
}
