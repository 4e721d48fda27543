//go:build cgo

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A hostility sends hostile traffic to a process.
type hostility struct {
	*process
	heavy []string // keys with large queries
	torn  []string // keys with incomplete requests
	slow  []string // keys whose clients do not read their answers
	many  []string // keys of one owner

	mu      sync.Mutex
	begun   map[string]int          // by attack
	answers map[string]map[int]int  // by attack and status
	clients map[string]*http.Client // by the address that they connect from
}

// An attack is one kind of hostile traffic.
type attack struct {
	name    string
	workers int
	every   time.Duration // of each worker
	send    func(ctx context.Context, h *hostility, worker int) (status int, err error)
}

const mebibyte = 1 << 20

var attacks = []attack{
	{"no key", 2, 50 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, somewhere(), "GET", "/v1/query/websites", "", "")
	}},
	{"no key, from one network", 1, 20 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, "127.9.9.9", "GET", "/v1/query/websites", "", "")
	}},
	{"unknown keys", 2, 50 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, somewhere(), "GET", "/v1/query/websites", unknownKey(), "")
	}},
	{"unknown keys from the panel's network", 1, 50 * time.Millisecond,
		func(ctx context.Context, h *hostility, _ int) (int, error) {
			return h.send(ctx, "127.0.0.1", "GET", "/v1/query/websites", unknownKey(), "")
		}},
	{"malformed keys", 1, 50 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, somewhere(), "GET", "/v1/query/websites", "no-key-at-all", "")
	}},
	{"unknown paths and OPTIONS", 1, 50 * time.Millisecond,
		func(ctx context.Context, h *hostility, _ int) (int, error) {
			return h.send(ctx, somewhere(), []string{"GET", "OPTIONS"}[rand.N(2)], "/.env", "", "")
		}},
	{"tracked bodies of 1 MiB", 2, 200 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, somewhere(), "POST", "/ingest/batch?client_id="+h.WebsiteID, "", manyItems)
	}},
	{"queries of 1 MiB", 1, 500 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.send(ctx, somewhere(), "POST", "/v1/query?website_id="+h.WebsiteID, h.torn[0], manyItems)
	}},
	{"tracked bodies, half sent", 20, time.Second, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.sendHalf(ctx, somewhere(), "/ingest/?client_id="+h.WebsiteID, "")
	}},
	{"queries, half sent", 40, time.Second, func(ctx context.Context, h *hostility, worker int) (int, error) {
		return h.sendHalf(ctx, somewhere(), "/v1/query?website_id="+h.WebsiteID, h.torn[worker%len(h.torn)])
	}},
	{"heavy legal batches", 2, time.Second, func(ctx context.Context, h *hostility, worker int) (int, error) {
		return h.send(ctx, somewhere(), "POST", "/v1/query?website_id="+h.WebsiteID, h.heavy[worker], heavyBatch)
	}},
	{"heavy events from one network", 4, 0, func(ctx context.Context, h *hostility, worker int) (int, error) {
		return h.postFrom(ctx, "127.8.8.8", "/batch", floodBody(worker, 0))
	}},
	{"profiles from one network", 4, 5 * time.Millisecond, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.postFrom(ctx, "127.8.8.9", "/identify",
			object{"profileId": fmt.Sprint("profile-", rand.Int()), "traits": object{"plan": "free"}})
	}},
	{"flags that nobody reads", 20, time.Second, func(ctx context.Context, h *hostility, _ int) (int, error) {
		return h.leaveUnread(ctx, somewhere(), "/public/v1/flags/bulk?clientId="+h.WebsiteID, "", "{}")
	}},
	{"answers that nobody reads", 20, time.Second, func(ctx context.Context, h *hostility, worker int) (int, error) {
		body := fmt.Sprintf(`{"preset":"last_30d","parameters":["session_list"],"limit":10000,"filters":[{"field":"path","op":"ne","value":"/%d"}]}`, rand.Int())
		return h.leaveUnread(ctx, somewhere(), "/v1/query?website_id="+h.WebsiteID, "Bearer "+
			h.slow[worker%len(h.slow)], body)
	}},
	{"heavy questions by many keys of one owner", 12, 100 * time.Millisecond,
		func(ctx context.Context, h *hostility, worker int) (int, error) {
			body := fmt.Sprintf(`{"preset":"last_90d","parameters":["paths","paths","paths","paths"],"filters":[{"field":"path","op":"ne","value":"/%d"}]}`, rand.Int())
			return h.send(ctx, somewhere(), "POST", "/v1/query?website_id="+h.WebsiteID, h.many[worker], body)
		}},
	{"exports that nobody reads", 6, time.Second, func(ctx context.Context, h *hostility, worker int) (int, error) {
		return h.leaveUnread(ctx, somewhere(), "/v1/export?website_id="+h.WebsiteID, "Bearer "+h.many[worker], "")
	}},
	{"messages of assistants", 2, 100 * time.Millisecond, func(ctx context.Context, h *hostility, worker int) (int,
		error) {
		accepts := "\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-03-26\r\nContent-Length:"
		request := strings.Replace(head("POST", "/v1/mcp", h.many[worker], len(manyCalls)), "\r\nContent-Length:",
			accepts, 1)
		request = strings.Replace(request, "Host: x", "Host: localhost", 1)
		return h.exchange(ctx, somewhere(), request+manyCalls)
	}},
}

// manyCalls is a message of an assistant with 60 large questions.
var manyCalls = func() string {
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask","arguments":{"website_id":"web_demo","preset":"last_90d","parameters":[{"name":"session_list","limit":10000}]}}}`
	calls := make([]string, 60)
	for i := range calls {
		calls[i] = fmt.Sprintf(call, i)
	}
	return "[" + strings.Join(calls, ",") + "]"
}()

// somewhere returns an address of loopback. Each counts as a separate network.
func somewhere() string {
	return fmt.Sprintf("127.%d.%d.%d", 10+rand.N(200), rand.N(256), 1+rand.N(254))
}

// unknownKey returns a well-formed key that does not exist.
func unknownKey() string {
	s, err := auth.NewSecret(nil, "")
	if err != nil {
		return ""
	}
	return s.Reveal()
}

// halfBody is a body of 1 MiB without its end.
var halfBody = strings.Repeat(" ", mebibyte-1)

// manyItems is a body that needs many times its size when decoded.
var manyItems = "[" + strings.Repeat(`{"":0},`, mebibyte/7-1) + "0]"

// heavyBatch is the largest request: 20 queries with 50 parameters, which cost 100 of 120 requests.
var heavyBatch = func() string {
	var parameters list
	for range 10 {
		parameters = append(parameters, "sessions", "pages", "traffic", "countries", "session_list")
	}
	batch := make(list, 20)
	for i := range batch {
		batch[i] = object{"preset": "last_30d", "parameters": parameters, "limit": 1000}
	}
	text, err := json.Marshal(batch)
	if err != nil {
		return err.Error()
	}
	return string(text)
}()

// postFrom sends body to a route of the tracking host from an address, as a browser does.
func (h *hostility) postFrom(ctx context.Context, from, route string, body any) (int, error) {
	h.mu.Lock()
	if h.clients == nil {
		h.clients = map[string]*http.Client{}
	}
	if h.clients[from] == nil {
		h.clients[from] = clientOf(from)
	}
	client := h.clients[from]
	h.mu.Unlock()
	target := h.ready
	target.WebsiteID = attacked
	return target.post(ctx, client, route, body), nil
}

// attack repeats an attack until ctx ends.
func (h *hostility) attack(ctx context.Context, a attack, worker int) {
	tick := time.NewTicker(max(a.every, time.Millisecond))
	defer tick.Stop()
	for {
		h.mu.Lock()
		h.begun[a.name]++
		h.mu.Unlock()
		status, err := a.send(ctx, h, worker)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			status = 0
		}
		h.mu.Lock()
		if h.answers[a.name] == nil {
			h.answers[a.name] = map[int]int{}
		}
		h.answers[a.name][status]++
		h.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// send sends one request, from an address of loopback.
func (h *hostility) send(ctx context.Context, from, method, path, key, body string) (int, error) {
	return h.exchange(ctx, from, head(method, path, key, len(body))+body)
}

// sendHalf announces a body of 1 MiB, sends it without the last byte, and waits for the answer.
func (h *hostility) sendHalf(ctx context.Context, from, path, key string) (int, error) {
	return h.exchange(ctx, from, head(http.MethodPost, path, key, mebibyte)+halfBody)
}

func head(method, path, key string, length int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Agent: curl\r\nContent-Type: application/json\r\n"+
		"X-Api-Key: %s\r\nContent-Length: %d\r\n\r\n", method, path, key, length)
}

// exchange sends a request over a new connection, and returns the status of the answer.
func (h *hostility) exchange(ctx context.Context, from, request string) (int, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(h.Address, "http://"))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(90 * time.Second)); err != nil {
		return 0, err
	}
	go func() { _, _ = io.WriteString(conn, request) }() // the server may answer before it has read all
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}
