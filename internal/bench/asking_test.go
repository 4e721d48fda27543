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

// An order says what to ask, of whom and how often.
type order struct {
	URL     string
	Request []byte // with its headers; where it holds numbered, it has another number each time
	Status  int    // of every answer
	Clients int    // that ask at once
	Times   int    // in all
}

// numbered stands for a number as long.
const numbered = "00000000"

// A receipt says how an order went.
type receipt struct {
	Took  time.Duration
	Fault string
}

// asking is a process that asks, so that what it spends is not the server's.
type asking struct {
	orders   *json.Encoder
	receipts *json.Decoder
}

// askingProcess is set in the environment of that process.
const askingProcess = "SIGHTLINE_BENCH_ASKING"

// TestMain is that process, or runs the tests.
func TestMain(m *testing.M) {
	if os.Getenv(askingProcess) == "" {
		os.Exit(m.Run())
	}
	if err := takeOrders(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// startAsking starts the process, which ends with the benchmark.
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

// ask has o done, and returns how long all answers took.
func (a *asking) ask(b *testing.B, o order) time.Duration {
	b.Helper()
	var r receipt
	if err := errors.Join(a.orders.Encode(o), a.receipts.Decode(&r)); err != nil || r.Fault != "" {
		b.Fatal(err, r.Fault)
	}
	return r.Took
}

// takeOrders does what it reads until that ends. Connections are kept from one order to the next.
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

// A client does as little as one can who reads answers to their end: it takes processors from the server.
type client struct {
	net.Conn
	in *bufio.Reader
}

// ask sends a request, whose answer must have that status.
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
