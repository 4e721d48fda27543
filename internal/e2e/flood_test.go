//go:build cgo

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// maxFloodDelay bounds the p99 of a sender beside a flood, in multiples of the p99 without it.
const maxFloodDelay = 5

// maxFloodStall is the longest time that a page view may take beside a flood.
const maxFloodStall = 2 * time.Second

// TestFlood measures how long single page views take while one network sends bodies of 100 events with 45 properties
// each over 4 and over 16 connections.
func TestFlood(t *testing.T) {
	length := lasting(t, "flood")
	p := start(t, t.TempDir(), "--demo-days", "1", "--log-level", "warn")
	p.views(t.Context(), 10*time.Second) // not measured: the first writes are slower
	alone := p.views(t.Context(), length)
	t.Logf("alone: p50 %v, p99 %v, max %v, answers %v", alone.percentile(50), alone.percentile(99),
		alone.percentile(100), alone.statuses)
	for _, connections := range []int{4, 16} {
		ctx, cancel := context.WithCancel(t.Context())
		flood := &measured{statuses: map[int]int{}}
		var mu sync.Mutex
		var senders sync.WaitGroup
		from := clientOf("127.0.0.9")
		for worker := range connections {
			senders.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					began := time.Now()
					status := p.post(ctx, from, "/batch", floodBody(worker, n))
					if ctx.Err() != nil {
						return
					}
					mu.Lock()
					flood.add(status, time.Since(began))
					mu.Unlock()
					if status == http.StatusTooManyRequests {
						time.Sleep(100 * time.Millisecond)
					}
				}
			})
		}
		beside := p.views(t.Context(), length)
		cancel()
		senders.Wait()
		t.Logf("beside %d connections: p50 %v, p99 %v, max %v, answers %v; the flood: p50 %v, answers %v", connections,
			beside.percentile(50), beside.percentile(99), beside.percentile(100), beside.statuses, flood.percentile(50),
			flood.statuses)
		if len(beside.statuses) != 1 || beside.statuses[http.StatusOK] == 0 {
			t.Errorf("answers to page views: %v", beside.statuses)
		}
		if flood.statuses[http.StatusOK] == 0 {
			t.Errorf("no body of the flood was stored: %v", flood.statuses)
		}
		if before, during := alone.percentile(99), beside.percentile(99); during > maxFloodDelay*before {
			t.Errorf("p99 beside %d connections is %v, more than %d times %v", connections, during, maxFloodDelay,
				before)
		}
		if longest := beside.percentile(100); longest > maxFloodStall {
			t.Errorf("a page view beside %d connections took %v, more than %v", connections, longest, maxFloodStall)
		}
	}
	p.stop(t)
}

// views sends a page view every 50 ms for length, from its own network.
func (p *process) views(ctx context.Context, length time.Duration) *measured {
	m := &measured{statuses: map[int]int{}}
	from := clientOf("127.0.0.2")
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for first := time.Now(); time.Since(first) < length; <-tick.C {
		began := time.Now()
		status := p.post(ctx, from, "/",
			object{"type": "track", "name": "screen_view", "eventId": fmt.Sprint("view-", began.UnixNano()),
				"path": "https://shop.example/"})
		m.add(status, time.Since(began))
	}
	return m
}

// clientOf returns a client that connects from an address of loopback.
func clientOf(address string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 64}}
}

// post sends body to a route of the tracking host as a browser does, and returns the status; 0 without an answer.
func (r ready) post(ctx context.Context, from *http.Client, route string, body any) int {
	text, err := json.Marshal(body)
	if err != nil {
		return 0
	}
	c := r.track(route, nil)
	req, err := http.NewRequestWithContext(ctx, c.method, c.url, bytes.NewReader(text))
	if err != nil {
		return 0
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	resp, err := from.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// floodBody returns a body of 100 events with 45 properties each, whose names and values are all different.
func floodBody(worker, n int) list {
	items := make(list, 100)
	for i := range items {
		properties := object{}
		for p := range 45 {
			properties[fmt.Sprintf("p%d-%d-%d-%d", worker, n, i, p)] = strings.Repeat("v", 150) + fmt.Sprint(p)
		}
		items[i] = object{"type": "custom", "name": "flood",
			"eventId": fmt.Sprintf("flood-%d-%d-%d-%d", time.Now().UnixNano(), worker, n, i), "properties": properties}
	}
	return items
}
