//go:build cgo

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServerOnAFullDisk fills the disk of a server. It must refuse events before the disk is full, continue to answer
// questions, and accept events again when space is free. It needs the right to mount.
func TestServerOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	args := []string{"--min-free-disk", "24MiB", "--limits", "off"}
	p := empty(t, dir, args...)
	send := func(id string) (int, object) {
		t.Helper()
		status, answer, err := do(t.Context(), p.track("/track", object{"name": "kept", "eventId": id}))
		if err != nil {
			t.Fatal(err)
		}
		return status, answer
	}
	if status, answer := send("a"); status != 200 {
		t.Fatalf("before: status %d, %v", status, answer)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 75<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the server refuses events", func() bool {
		status, _ := send("b")
		return status == 503
	})
	if status, answer := send("c"); status != 503 || answer["code"] != "STORAGE_FULL" || answer["retryable"] != true {
		t.Errorf("an event: status %d, %v", status, answer)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.TrackAddress+
		"/px.jpg?name=screen_view&path=/&client_id="+p.WebsiteID, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", browser)
	if pixel, err := http.DefaultClient.Do(r); err != nil || pixel.Body.Close() != nil || pixel.StatusCode != 503 ||
		pixel.Header.Get("Retry-After") != "30" {
		t.Errorf("a pixel: %v, %v", pixel, err)
	}
	count := func() any { return ask(t, p.ready, websiteOf(p.ready), "custom_events", object{})[0]["total_events"] }
	accepted := count()
	if status, answer, err := do(t.Context(), call{method: http.MethodGet, url: p.Address + "/health"}); err != nil ||
		status != 503 || fmt.Sprint(answer["checks"]) != "map[disk:false]" {
		t.Errorf("health: status %d, %v, %v", status, answer, err)
	}
	if log := p.stderr.String(); !strings.Contains(log, "the disk is almost full") {
		t.Errorf("the log has no warning:\n%s", log)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	until(t, "the server accepts events again", func() bool {
		status, _ := send("d")
		return status == 200
	})
	until(t, "the server is healthy again", func() bool {
		status, _ := p.get(t, "/health", false)
		return status == 200
	})
	if got := count(); got != accepted.(float64)+1 {
		t.Errorf("%v events, want %v and one", got, accepted)
	}
	p.kill(t) // all accepted events are in the log
	p = p.restart(t, dir, args...)
	if got := count(); got != accepted.(float64)+1 {
		t.Errorf("after a restart: %v events, want %v and one", got, accepted)
	}
	p.stop(t)
}

// until waits until done.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("%s: not in two minutes", what)
		}
	}
}

// withFiles returns cmd with a limit of open files.
func withFiles(n int, cmd *exec.Cmd) *exec.Cmd {
	limited := exec.Command("sh",
		append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$@"`, n), "sh"}, cmd.Args...)...)
	limited.Env = cmd.Env
	return limited
}

// TestFewFileDescriptors opens more connections than the server may open files. It must keep running and lose no event.
func TestFewFileDescriptors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := withFiles(255, serving(dir)).CombinedOutput()
	if err == nil || !strings.Contains(string(out),
		"this process may open only 255 files, and the server needs at least 256: raise it") {
		t.Errorf("with 255 files: %v, %s", err, out)
	}
	p := begin(t, withFiles(256, serving(dir, "--json", "--demo=false", "--limits", "off")))
	p.await(t)
	p.equip(t, dir)
	senders := sendAlways(t, p)
	senders.await(t, 3)
	var flood []net.Conn
	for range 400 {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.Address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		flood = append(flood, c)
		if _, err := c.Write([]byte("POST /ingest/track HTTP/1.1\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the log warns", func() bool { return strings.Contains(p.stderr.String(), "too many open connections") })
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil || len(open) < 128 || len(open) > 230 {
		t.Errorf("%d files are open, %v; want many, and some to spare", len(open), err)
	}
	for _, c := range flood {
		_ = c.Close()
	}
	senders.await(t, 3)
	senders.stop()
	p.stop(t)
	p = p.restart(t, dir, "--limits", "off")
	for i, s := range streams {
		checkOnce(t, p.ready, s, "move-", senders.sent[i], true)
	}
	p.stop(t)
}
