package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// A host mounts the tools next to the API. An assistant sends its messages to /v1/mcp with a key of the API.
func Example() {
	host, err := sightlinetest.Open() // in a program: sightline.New
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(context.Background())
	tools, err := mcp.New(mcp.Config{API: host.API()})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/mcp", tools)
	mux.Handle("/", host.API())

	message := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	r := httptest.NewRequest(http.MethodPost, "/v1/mcp", strings.NewReader(message))
	r.Header = http.Header{"X-Api-Key": {host.Key}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "explain_number"))
	// Output: 200 true
}
