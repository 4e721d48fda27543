package track

import "testing"

func TestAlive(t *testing.T) {
	w := world{siteErr: errDown, writeErr: errDown}
	if a := w.do(t, "GET", "/health", ""); a.code != 200 || a.body["status"] != "ok" {
		t.Errorf("%d %s", a.code, a.raw)
	}
}
