//go:build cgo

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestUnreadAnswers requests 31 MB with each of 40 panel tokens of one key and reads nothing. The server must refuse
// most of them, and its memory must stay bounded.
func TestUnreadAnswers(t *testing.T) {
	testenv.Night(t, "unread")
	dir := t.TempDir()
	p := start(t, dir, "--demo-days", "1", "--log-level", "error")
	for body := range 100 {
		items := make(list, 100)
		for i := range items {
			id := fmt.Sprintf("%d-%d", body, i)
			items[i] = object{"type": "track", "name": "screen_view", "eventId": "unread-" + id,
				"path": "https://shop.example/" + id + "/" + strings.Repeat("p", 1980)}
		}
		mustTrack(t, p.ready, "/batch", items)
	}
	before := p.memory(t)
	h := &hostility{process: p}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	statuses := map[string]int{}
	for i := range 40 {
		_, minted, err := do(ctx, call{method: http.MethodPost, url: p.Address + "/v1/tokens", body: object{"ttl": 900},
			header: map[string]string{"Content-Type": "application/json", "X-Api-Key": p.Key}})
		token, _ := minted["token"].(string)
		if err != nil || token == "" {
			t.Fatalf("no token: %v, %v", minted, err)
		}
		body := fmt.Sprintf(`{"preset":"last_7d","parameters":["pages"],"limit":7500,"filters":[{"field":"path","op":"ne","value":"/%d"}]}`, i)
		status, conn, err := h.unread(ctx, "127.0.0.1", "/v1/query?website_id="+p.WebsiteID, "Bearer "+token, body)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		statuses[status]++
	}
	most := p.memory(t)
	t.Logf("answers by status %v; memory %d MiB before, %d MiB at most", statuses, before>>20, most>>20)
	if statuses["200"] == 0 || statuses["429"] < 20 {
		t.Errorf("statuses of 40 unread answers: %v", statuses)
	}
	if most > 1<<30 {
		t.Errorf("the process took %d MiB, more than 1024", most>>20)
	}
}

// unread requests an answer, reads only its status, and returns the open connection.
func (h *hostility) unread(ctx context.Context, from, path, authorization, body string) (status string, _ net.Conn,
	err error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(h.Address, "http://"))
	if err != nil {
		return "", nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4096) // the system may choose another size
	}
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request := strings.Replace(head(method, path, "", len(body)), "X-Api-Key: ", "Authorization: "+
		authorization, 1) + body
	if authorization == "" {
		request = strings.Replace(request, "Authorization: \r\n", "", 1)
	}
	line := make([]byte, len("HTTP/1.1 200"))
	if err = conn.SetDeadline(time.Now().Add(time.Minute)); err == nil {
		if _, err = io.WriteString(conn, request); err == nil {
			_, err = io.ReadFull(conn, line)
		}
	}
	if err != nil {
		_ = conn.Close()
		return "", nil, err
	}
	return string(line[len("HTTP/1.1 "):]), conn, nil
}

// leaveUnread requests an answer of megabytes, reads only its status, and holds the connection for a while.
func (h *hostility) leaveUnread(ctx context.Context, from, path, authorization, body string) (int, error) {
	text, conn, err := h.unread(ctx, from, path, authorization, body)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	select {
	case <-time.After(15 * time.Second):
	case <-ctx.Done():
	}
	return strconv.Atoi(text)
}
