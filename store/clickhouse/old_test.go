package clickhouse_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// oldNative runs a server that sends the handshake of the given version, and nothing else.
func oldNative(t *testing.T, major, minor, revision uint64) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	hello := text([]byte{0}, "ClickHouse")
	for _, n := range []uint64{major, minor, revision} {
		hello = binary.AppendUvarint(hello, n)
	}
	hello = text(hello, "UTC")
	hello = text(hello, "old")
	hello = binary.AppendUvarint(hello, 0)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadByte()
			_, _ = c.Write(hello)
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	return "clickhouse://default@" + ln.Addr().String() + "/default"
}

// oldHTTP runs a server that rejects a parameter of every driver query, as old servers do.
func oldHTTP(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-ClickHouse-Exception-Code", "115")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("Code: 115, e.displayText() = DB::Exception: Unknown setting client_protocol_version, e.what() = DB::Exception\n"))
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://default@", 1) + "/default"
}

func TestServerTooOld(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{
		"native, version 18":  oldNative(t, 18, 16, 54412),
		"native, version 25":  oldNative(t, 25, 2, 54412),
		"native, prehistoric": oldNative(t, 1, 1, 50000),
		"http":                oldHTTP(t),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: dsn})
			if !errors.Is(err, clickhouse.ErrTooOld) || !strings.Contains(err.Error(), "25.3") {
				t.Errorf("Open: %v, want ErrTooOld with the required version", err)
			}
		})
	}
}

func TestServerOlderThanTested(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	connect(t, clickhouse.Config{DSN: oldNative(t, 25, 8, 54412), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "older than the tested version") || !strings.Contains(log.String(), "25.8") {
		t.Errorf("logged %q", log.String())
	}
}
