//go:build cgo

package main

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
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// The server holds the DuckDB file alone. Commands beside it ask through a Unix socket in
// the data folder, which only its owner may open: a statement is posted to /query, and
// /subjects lists whose rows there are. Both ends are this program, so both speak gob.

// control serves the store behind the socket of dir until stop.
func (s *servers) control(ctx context.Context, dir string, events *duckdb.Store) error {
	path := filepath.Join(dir, socketFile)
	// The store is open, so nobody else serves this folder: what is there is left over.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var l net.ListenConfig
	socket, err := l.Listen(ctx, "unix", path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, socket.Close())
	}
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
	s.run(socket, &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}) // answers may take long
	return nil
}

// reply writes what was found, or why nothing was.
func reply(w http.ResponseWriter, found any, err error) {
	var body bytes.Buffer
	if err == nil {
		err = gob.NewEncoder(&body).Encode(found)
	}
	if err != nil {
		http.Error(w, oneLine(err), http.StatusUnprocessableEntity)
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

// A server is the store of a running server, seen through its socket.
type server struct{ client *http.Client }

// dialServer finds the server that runs on a data folder; nil when there is none.
func dialServer(ctx context.Context, dir string) *server {
	path := filepath.Join(dir, socketFile)
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
	return &server{&http.Client{Transport: &http.Transport{DialContext: dial}}}
}

func (s *server) close() error {
	s.client.CloseIdleConnections()
	return nil
}

// Dialect is that of the file that the server has open.
func (s *server) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (s *server) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := new(store.Rows)
	return rows, s.ask(ctx, http.MethodPost, "query", wire(stmt), rows)
}

func (s *server) Ping(ctx context.Context) error {
	_, err := s.Subjects(ctx)
	return err
}

func (s *server) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	return all, s.ask(ctx, http.MethodGet, "subjects", nil, &all)
}

func (s *server) ask(ctx context.Context, method, route string, question, answer any) error {
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
	got, err := s.client.Do(r)
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
