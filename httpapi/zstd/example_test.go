package zstd_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/httpapi/zstd"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// A host gives the encoder to the API, which then prefers it to gzip.
func Example() {
	host, err := sightlinetest.Open(func(cfg *sightline.Config) { // in a program: sightline.New
		cfg.API.Encoders = []httpapi.Encoder{zstd.New()}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(context.Background())
	r := httptest.NewRequest(http.MethodGet, "/v1/query/types", nil)
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	w := httptest.NewRecorder()
	host.API().ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Encoding"))
	// Output: 200 zstd
}
