package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

// TestFlagsOfOneAnswerAreBounded checks that a response with several flags has at most 1 MiB of values and payloads.
// Above the limit the error says what to do, and naming keys helps.
func TestFlagsOfOneAnswerAreBounded(t *testing.T) {
	w, _ := newFlagWorld(t)
	const payload = 30_000 // bytes of each flag
	flag := func(i int) {
		w.create(t, fmt.Sprintf(`{"clientId":"site_a","key":"flag-%d","type":"boolean","defaultValue":true,"payload":{"a":%q}}`, i, strings.Repeat("x", payload)))
	}
	const bulk = "/public/v1/flags/bulk"
	var keys []string
	for i := range 36 {
		if i == 34 { // a million bytes in total
			for _, path := range []string{bulk + "?clientId=site_a", bulk + "?clientId=site_a&keys=" +
				strings.Join(keys, ",")} {
				rec := w.send("GET", path, "", "")
				if expect(t, rec, 200, ""); object(t, rec)["count"] != 34.0 || rec.Body.Len() > 1<<20+1000*300 {
					t.Errorf("%s: %d bytes", path, rec.Body.Len())
				}
			}
		}
		flag(i)
		keys = append(keys, fmt.Sprint("flag-", i))
	}
	some, all := strings.Join(keys[:3], ","), strings.Join(keys, ",")
	for _, row := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", bulk + "?clientId=site_a", "", 400, "keys is required: all flags of the client have 1080"},
		{"POST", bulk, `{"clientId":"site_a"}`, 400, "name the flags that you need"},
		{"GET", bulk + "?clientId=site_a&keys=" + all, "", 400, "keys must name fewer flags: these have 1080"},
		{"GET", bulk + "?clientId=site_a&keys=" + some, "", 200, `"count":3`},
		{"POST", ofrepPrefix, `{}`, 400, "evaluate each flag by its key"},
		{"POST", ofrepPrefix + "/flag-1", `{}`, 200, `"key":"flag-1"`},
	} {
		rec := w.send(row.method, row.path, "", row.body, "X-Client-Id", "site_a")
		if rec.Code != row.status || !strings.Contains(rec.Body.String(), row.want) {
			t.Errorf("%s %.60s %s: %d %.300s, want %q", row.method, row.path, row.body, rec.Code, rec.Body, row.want)
		}
	}
}
