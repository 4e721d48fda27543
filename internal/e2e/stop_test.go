//go:build cgo

package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStopWithinADeadline stops the program while two requests are in progress. One of them continues and gets its
// answer, the other one never ends. New connections must be refused at once, and the program must end with 0 soon after
// --drain.
func TestStopWithinADeadline(t *testing.T) {
	t.Parallel()
	const drain = 4 * time.Second
	dir := t.TempDir()
	p := empty(t, dir, "--drain", drain.String())
	body := `{"name":"last","eventId":"last"}`
	begin := func() (net.Conn, *bufio.Reader) {
		t.Helper()
		c, err := net.Dial("tcp", strings.TrimPrefix(p.Address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintf(c, "POST /ingest/track HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", p.Key, len(body))
		if err != nil {
			t.Fatal(err)
		}
		from := bufio.NewReader(c)
		for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} { // the server reads the body
			if line, err := from.ReadString('\n'); err != nil || line != want {
				t.Fatalf("%q, %v; want %q", line, err, want)
			}
		}
		if _, err := c.Write([]byte(body[:10])); err != nil {
			t.Fatal(err)
		}
		return c, from
	}
	slow, answer := begin()
	begin()
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for refused := false; !refused; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.Address, "http://"))
		if refused = err != nil; !refused {
			_ = c.Close()
		}
		if time.Since(began) > drain {
			t.Fatal("the program still accepts connections")
		}
	}
	if _, err := slow.Write([]byte(body[10:])); err != nil {
		t.Fatal(err)
	}
	if got, err := http.ReadResponse(answer, nil); err != nil || got.StatusCode != http.StatusOK {
		t.Errorf("the request in progress: %v, %v", got, err)
	}
	if err := p.wait(t); err != nil {
		t.Errorf("the program: %v", err)
	}
	if took := time.Since(began); took < drain || took > drain+20*time.Second {
		t.Errorf("the program ended after %s, want soon after %s", took, drain)
	}
	if !strings.Contains(p.stderr.String(), "did not finish in time") {
		t.Errorf("the log does not mention the request that never ends:\n%s", p.stderr)
	}
	p = p.restart(t, dir)
	if rows := ask(t, p.ready, websiteOf(p.ready), "custom_events", object{}); len(rows) != 1 ||
		rows[0]["total_events"] != 1.0 {
		t.Errorf("events: %v", rows)
	}
	p.stop(t)
}
