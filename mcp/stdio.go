package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines is a transport with one message per line. The connection of the SDK ends at the first line that it cannot read;
// this one answers with an error and continues.
type lines struct {
	in  io.Reader
	out io.Writer
}

// Connect implements sdk.Transport.
func (l lines) Connect(context.Context) (sdk.Connection, error) {
	c := &lineConn{out: l.out, read: make(chan line), closed: make(chan struct{})}
	//background:stop=ctx bound=one fails=caller
	go c.readAll(bufio.NewReader(l.in))
	return c, nil
}

// A line is what was read: a message, or the error that ends the input.
type line struct {
	message jsonrpc.Message
	err     error
}

type lineConn struct {
	mu     sync.Mutex
	out    io.Writer
	read   chan line
	end    sync.Once
	closed chan struct{}
}

// readAll reads lines until the input ends or the connection is closed. A read that waits for input does not notice
// that it is closed, since readers cannot be interrupted.
func (c *lineConn) readAll(in *bufio.Reader) {
	for {
		text, err := readLine(in)
		var message jsonrpc.Message
		var fault error
		switch {
		case errors.Is(err, errLongLine):
			err, fault = nil, c.refuse(jsonrpc.CodeInvalidRequest, nil, err.Error())
		case err == nil || len(text) > 0:
			message, fault = c.decode(text)
		}
		if message != nil && !c.pass(line{message: message}) {
			return
		}
		if err = cmp.Or(err, fault); err != nil {
			c.pass(line{err: err})
			return
		}
	}
}

// pass hands l to Read, and reports whether the connection is still open.
func (c *lineConn) pass(l line) bool {
	select {
	case c.read <- l:
		return true
	case <-c.closed:
		return false
	}
}

var errLongLine = fmt.Errorf("a message may have at most %d bytes", MaxBody)

// readLine returns the next line without its end. It skips the rest of a line that is too long. With io.EOF the line is
// the last one and has no end.
func readLine(in *bufio.Reader) (text []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > MaxBody+1; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		default:
			return bytes.TrimSuffix(text, []byte("\n")), err
		}
	}
}

// decode returns the message in a line. If there is none, it answers with an error of JSON-RPC and returns nil. Its
// error is that of the answer.
func (c *lineConn) decode(text []byte) (jsonrpc.Message, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text) || !utf8.Valid(text) {
		return nil, c.refuse(jsonrpc.CodeParseError, nil, "each line must be one JSON-RPC message: JSON in UTF-8")
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err == nil {
		return message, nil
	}
	var sent struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(text, &sent); err != nil || !isID(sent.ID) {
		sent.ID = nil
	}
	return nil, c.refuse(jsonrpc.CodeInvalidRequest, sent.ID, "the message is not a request of JSON-RPC 2.0: "+
		"an object with jsonrpc, method and, to be answered, id")
}

// isID reports whether js can be the id of a request: a text or a number.
func isID(js json.RawMessage) bool {
	return len(js) > 0 && (js[0] == '"' || js[0] == '-' || js[0] >= '0' && js[0] <= '9')
}

// refuse answers with an error. Without an id it is null.
func (c *lineConn) refuse(code int64, id json.RawMessage, message string) error {
	return c.write(failureOf(code, id, message))
}

// failureOf returns an error of JSON-RPC. Without an id it is null.
func failureOf(code int64, id json.RawMessage, message string) any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}}
}

func (c *lineConn) write(message any) error {
	js, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(js, '\n'))
	return err
}

// Read implements sdk.Connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	case next := <-c.read:
		if next.message != nil {
			return next.message, nil
		}
		return nil, next.err
	}
}

// Write implements sdk.Connection.
func (c *lineConn) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	js, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return c.write(json.RawMessage(js))
}

// Close implements sdk.Connection.
func (c *lineConn) Close() error {
	c.end.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements sdk.Connection.
func (*lineConn) SessionID() string { return "" }
