package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// The bounds of a request for the health of a server. The server itself waits two seconds for its stores.
const (
	healthTimeout = 10 * time.Second
	maxHealth     = 64 << 10
)

// askHealth asks a server on this machine how it is, for supervisors and HEALTHCHECK of containers.
type askHealth struct {
	Addr string `env:"SIGHTLINE_ADDR" default:"127.0.0.1:8080" help:"The --addr of the server."`
	Live bool   `help:"Ask only whether the process responds, also if a store is not available."`
}

func (*askHealth) Help() string {
	return `The exit status is 0 if GET /health answers 200, and otherwise 1. The output names what does not work.`
}

func (h *askHealth) Validate() error {
	if _, _, err := net.SplitHostPort(h.Addr); err != nil {
		return fmt.Errorf("--addr %q is not a host:port: %w", h.Addr, err)
	}
	return nil
}

// Run asks once.
func (h *askHealth) Run(ctx context.Context, e environment) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	url := h.url()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	direct := &http.Transport{DisableKeepAlives: true} // not through a proxy of the environment
	answer, err := direct.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", url, err)
	}
	defer func() { _ = answer.Body.Close() }()
	report := map[string]any{}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxHealth)).Decode(&report); err != nil {
		return fmt.Errorf("%s is not an address of a Sightline server: status %d", url, answer.StatusCode)
	}
	failed := strings.Join(failing(report), ", ")
	switch {
	case answer.StatusCode != http.StatusOK && failed == "":
		return fmt.Errorf("%s answers with status %d: %v", url, answer.StatusCode, report["error"])
	case answer.StatusCode != http.StatusOK:
		return errors.New("not available: " + clean(failed))
	case failed != "":
		_, err = fmt.Fprintln(e.out, "ok, but not available:", clean(failed))
	default:
		_, err = fmt.Fprintln(e.out, "ok")
	}
	return err
}

// url returns the address to ask. A server that listens on all addresses of the machine is asked on loopback.
func (h *askHealth) url() string {
	host, port, _ := net.SplitHostPort(h.Addr) // Validate checked it
	if ip, err := netip.ParseAddr(cmp.Or(host, "::")); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	path := "/health"
	if h.Live {
		path = "/health/live"
	}
	return "http://" + net.JoinHostPort(host, port) + path
}

// failing returns the names of the parts that a report of the server says do not work.
func failing(report map[string]any) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(report)) {
		switch value := report[name].(type) {
		case bool:
			if !value && name != "success" {
				names = append(names, name)
			}
		case map[string]any:
			names = append(names, failing(value)...)
		}
	}
	return names
}
