// Package control lets commands ask the server that runs on a data folder. The server holds
// the DuckDB file alone; commands beside it ask through a Unix socket in the folder, which
// only its owner may open: a statement is posted to /query, /subjects lists whose rows there are,
// and /verify and /rebuild are about what is kept of days. Both ends are this program, so both
// speak gob.
package control

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Source is what the socket opens: a store that knows whose rows it has.
type Source interface {
	Query(ctx context.Context, stmt store.Statement) (*store.Rows, error)
	Subjects(ctx context.Context) ([]store.Subject, error)
}

// Seals verifies what is kept of the days of a website, and keeps it anew; a [query.Engine] does.
type Seals interface {
	VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (query.SealReport, error)
	RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (days int, err error)
}

// Listen makes the socket at path, with mode 0600. What is there already is taken for left
// over: call it only while holding the data of the folder.
func Listen(ctx context.Context, path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var l net.ListenConfig
	socket, err := l.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return socket, nil
}

// Handler answers for events, and for what is kept of them.
func Handler(events Source, seals Seals) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /query", func(w http.ResponseWriter, r *http.Request) {
		var asked wireStatement
		err := gob.NewDecoder(r.Body).Decode(&asked)
		var rows *store.Rows
		if err == nil {
			rows, err = events.Query(r.Context(), asked.statement())
		}
		reply(w, rows, err)
	})
	mux.HandleFunc("GET /subjects", func(w http.ResponseWriter, r *http.Request) {
		all, err := events.Subjects(r.Context())
		reply(w, all, err)
	})
	mux.HandleFunc("POST /verify", ofDays(seals.VerifySeals))
	mux.HandleFunc("POST /rebuild", ofDays(seals.RebuildSeals))
	return mux
}

// wireDays are days of a website.
type wireDays struct {
	Website  store.Subject
	From, To time.Time
}

func ofDays[T any](do func(ctx context.Context, website store.Subject, from, to time.Time) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked wireDays
		err := gob.NewDecoder(r.Body).Decode(&asked)
		var found T
		if err == nil {
			found, err = do(r.Context(), asked.Website, asked.From, asked.To)
		}
		reply(w, found, err)
	}
}

// reply writes what was found, or why nothing was.
func reply(w http.ResponseWriter, found any, err error) {
	var body bytes.Buffer
	if err == nil {
		err = gob.NewEncoder(&body).Encode(found)
	}
	if err != nil {
		http.Error(w, strings.ReplaceAll(err.Error(), "\n", "; "), http.StatusUnprocessableEntity)
		return
	}
	_, _ = body.WriteTo(w) // whoever went away has no use for it
}

// A wireStatement is a store.Statement with arguments that gob can tell apart.
type wireStatement struct {
	Label, SQL string
	Args       []wireArg
	Kinds      []dialect.Kind
}

type wireArg struct {
	Name    string
	Kind    dialect.Kind
	Int     int64
	Float   float64
	Text    string
	Ints    []int64
	Texts   []string
	Subject store.Subject
}

func (w *wireStatement) statement() store.Statement {
	stmt := store.Statement{Label: w.Label, SQL: w.SQL, Kinds: w.Kinds}
	for _, a := range w.Args {
		values := map[dialect.Kind]any{
			dialect.Int: a.Int, dialect.Float: a.Float, dialect.Text: a.Text,
			dialect.Ints: a.Ints, dialect.Texts: a.Texts, dialect.Subject: a.Subject,
		}
		stmt.Args = append(stmt.Args, dialect.Arg{Name: a.Name, Kind: a.Kind, Value: values[a.Kind]})
	}
	return stmt
}

func wire(stmt store.Statement) wireStatement {
	w := wireStatement{Label: stmt.Label, SQL: stmt.SQL, Kinds: stmt.Kinds}
	for _, a := range stmt.Args {
		to := wireArg{Name: a.Name, Kind: a.Kind}
		switch v := a.Value.(type) {
		case int64:
			to.Int = v
		case float64:
			to.Float = v
		case string:
			to.Text = v
		case []int64:
			to.Ints = v
		case []string:
			to.Texts = v
		case store.Subject:
			to.Subject = v
		}
		w.Args = append(w.Args, to)
	}
	return w
}

// A Client is the store of a running server, seen through its socket.
type Client struct{ http *http.Client }

// Dial finds the server that listens at path; nil when there is none.
func Dial(ctx context.Context, path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := dial(within, "", "")
	if err != nil {
		return nil
	}
	_ = conn.Close()
	return &Client{&http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// Close ends the connections. The server goes on.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Dialect is that of the file that the server has open.
func (c *Client) Dialect() *dialect.Dialect { return dialect.DuckDB() }

// Query runs stmt in the server. Its error wraps store.ErrUnavailable when the server ended.
func (c *Client) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := new(store.Rows)
	return rows, c.ask(ctx, http.MethodPost, "query", wire(stmt), rows)
}

// Ping reports whether the server answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Subjects(ctx)
	return err
}

// Subjects lists whose rows the server's store has.
func (c *Client) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	return all, c.ask(ctx, http.MethodGet, "subjects", nil, &all)
}

// VerifySeals implements [Seals] in the server.
func (c *Client) VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (query.SealReport, error) {
	var report query.SealReport
	err := c.ask(ctx, http.MethodPost, "verify", wireDays{website, from, to}, &report)
	return report, err
}

// RebuildSeals implements [Seals] in the server.
func (c *Client) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (days int, err error) {
	err = c.ask(ctx, http.MethodPost, "rebuild", wireDays{website, from, to}, &days)
	return days, err
}

func (c *Client) ask(ctx context.Context, method, route string, question, answer any) error {
	var body bytes.Buffer
	if question != nil {
		if err := gob.NewEncoder(&body).Encode(question); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://server/"+route, &body)
	if err != nil {
		return err
	}
	got, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("%w: the server of this data folder ended: %w", store.ErrUnavailable, err)
	}
	defer func() { _ = got.Body.Close() }()
	if got.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(got.Body, 1<<16))
		return errors.Join(fmt.Errorf("the server of this data folder: %s", bytes.TrimSpace(text)), err)
	}
	return gob.NewDecoder(got.Body).Decode(answer)
}
