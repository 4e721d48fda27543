//go:build cgo

package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// An order has a request, an address and a number of times.
type order struct {
	URL     string
	Request []byte // with headers; numbered is replaced by a new number each time
	Status  int    // expected status of every answer
	Clients int    // number of concurrent clients
	Times   int    // total number of requests
}

// numbered is a placeholder for a number of the same length.
const numbered = "00000000"

// A receipt has the result of an order.
type receipt struct {
	Took  time.Duration
	Fault string
}

// asking is a separate client process, so that its cost does not count for the server.
type asking struct {
	orders   *json.Encoder
	receipts *json.Decoder
}

// askingProcess is set in the environment of the client process.
const askingProcess = "SIGHTLINE_BENCH_ASKING"

// TestMain runs the client process or the tests.
func TestMain(m *testing.M) {
	if os.Getenv(askingProcess) == "" {
		os.Exit(m.Run())
	}
	if err := takeOrders(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// startAsking starts the client process, which ends with the benchmark.
func startAsking(b *testing.B) *asking {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self)
	cmd.Env, cmd.Stderr = append(os.Environ(), askingProcess+"=1"), os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &asking{json.NewEncoder(in), json.NewDecoder(out)}
}

// ask executes o, and returns the time of all answers.
func (a *asking) ask(b *testing.B, o order) time.Duration {
	b.Helper()
	var r receipt
	if err := errors.Join(a.orders.Encode(o), a.receipts.Decode(&r)); err != nil || r.Fault != "" {
		b.Fatal(err, r.Fault)
	}
	return r.Took
}

// takeOrders executes orders until its input ends. It reuses connections.
func takeOrders(in io.Reader, out io.Writer) error {
	orders, receipts, kept := json.NewDecoder(in), json.NewEncoder(out), map[string][]*client{}
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for len(kept[o.URL]) < o.Clients {
			c, err := net.Dial("tcp", strings.TrimPrefix(o.URL, "http://"))
			if err != nil {
				return err
			}
			kept[o.URL] = append(kept[o.URL], &client{c, bufio.NewReaderSize(c, 64<<10)})
		}
		if err := receipts.Encode(o.carryOut(kept[o.URL][:o.Clients])); err != nil {
			return err
		}
	}
}

func (o order) carryOut(clients []*client) receipt {
	began, faults := time.Now(), make([]error, len(clients))
	var asking sync.WaitGroup
	for i, c := range clients {
		asking.Go(func() {
			request := bytes.Clone(o.Request)
			at := bytes.Index(request, []byte(numbered))
			for n := i; n < o.Times && faults[i] == nil; n += len(clients) {
				if at >= 0 {
					copy(request[at:], fmt.Sprintf("%0*d", len(numbered), time.Now().UnixMicro()%1e7*10+int64(i)))
				}
				faults[i] = c.ask(request, o.Status)
			}
		})
	}
	asking.Wait()
	r := receipt{Took: time.Since(began)}
	if err := errors.Join(faults...); err != nil {
		r.Fault = err.Error()
	}
	return r
}

// A client does as little as possible, because it shares the processors with the server. It reads whole answers.
type client struct {
	net.Conn
	in *bufio.Reader
}

// ask sends a request and checks the status of the answer.
func (c *client) ask(request []byte, status int) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	first, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if want := strconv.Itoa(status); !bytes.Contains(first, []byte(" "+want+" ")) {
		return fmt.Errorf("%s, not %s", bytes.TrimSpace(first), want)
	}
	length := 0
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == len("\r\n") {
			break
		}
		if text, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return err
			}
		}
	}
	_, err = c.in.Discard(length)
	return err
}
