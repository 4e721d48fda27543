// Package control lets commands use the data of a running server. Only the server can open the DuckDB file, so commands
// send requests through a Unix socket in the data folder, which only its owner may open. POST /query runs a statement,
// POST /write stores rows, /subjects lists websites, links and monitors with rows, /days lists their days, /erase,
// /import and /purge remove rows, /verify and /rebuild handle stored daily results, and /backup and /backups make
// backups and describe the regular ones. Both ends are the same program, so the messages are encoded with gob.
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

	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// A Source is a store that can list its subjects and their days, and store rows.
type Source interface {
	store.Writer
	store.DayLister
	Query(ctx context.Context, stmt store.Statement) (*store.Rows, error)
	Subjects(ctx context.Context) ([]store.Subject, error)
}

// Seals verifies and rebuilds the stored daily results of a website, and removes persons and imports from its events
// and from these results. A [query.Engine] implements it.
type Seals interface {
	store.PersonEraser

	RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error)

	VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (query.SealReport, error)
	RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (days int, err error)
}

// Backups makes backups of the data folder. A [backup.Schedule] implements it.
type Backups interface {
	Create(ctx context.Context, to string, keep int) (backup.Made, error)
	Status() backup.Status
}

// Listen creates the socket at path with mode 0600. It replaces an existing socket, so call it only after opening the
// data of the folder.
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

// Handler serves queries of events, their stored daily results, and backups.
func Handler(events Source, seals Seals, backups Backups) http.Handler {
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
	mux.HandleFunc("POST /write", func(w http.ResponseWriter, r *http.Request) {
		var b store.Batch
		err := gob.NewDecoder(r.Body).Decode(&b)
		var written store.Written
		if err == nil {
			written, err = events.Write(r.Context(), &b)
		}
		reply(w, written, err)
	})
	mux.HandleFunc("GET /subjects", func(w http.ResponseWriter, r *http.Request) {
		all, err := events.Subjects(r.Context())
		reply(w, all, err)
	})
	mux.HandleFunc("POST /erase/person",
		decoded(func(ctx context.Context, asked store.Person) (map[string]int64, error) {
			removed, err := seals.ErasePerson(ctx, asked)
			if errors.Is(err, query.ErrNotEraser) {
				err = errUnable
			}
			return removed, err
		}))
	mux.HandleFunc("POST /import/remove", decoded(func(ctx context.Context, asked wireImport) (
		map[string]int64, error,
	) {
		return seals.RemoveImport(ctx, asked.Of, asked.ID)
	}))
	mux.HandleFunc("POST /import/claim", decoded(func(ctx context.Context, asked store.Batch) (bool, error) {
		remover, ok := events.(store.Remover)
		if !ok {
			return false, query.ErrNotRemover
		}
		return true, remover.Claim(ctx, &asked)
	}))
	mux.HandleFunc("POST /erase", decoded(func(ctx context.Context, asked store.Subject) (int64, error) {
		eraser, ok := events.(store.Eraser)
		if !ok {
			return 0, errUnable
		}
		return eraser.Erase(ctx, asked)
	}))
	mux.HandleFunc("POST /purge", func(w http.ResponseWriter, r *http.Request) {
		err := errUnable
		if purger, ok := events.(store.Purger); ok {
			err = purger.Purge(r.Context())
		}
		reply(w, true, err)
	})
	mux.HandleFunc("POST /days", ofDays(events.Days))
	mux.HandleFunc("POST /verify", ofDays(seals.VerifySeals))
	mux.HandleFunc("POST /rebuild", ofDays(seals.RebuildSeals))
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		var asked wireBackup
		err := gob.NewDecoder(r.Body).Decode(&asked)
		var made backup.Made
		if err == nil {
			err = asked.To.check()
		}
		if err == nil {
			made, err = backups.Create(r.Context(), asked.To.Path, asked.Keep)
		}
		reply(w, made, err)
	})
	mux.HandleFunc("GET /backups", func(w http.ResponseWriter, _ *http.Request) {
		found := wireStatus{Status: backups.Status()}
		var err error
		if found.Status.To != "" {
			found.To, err = PlaceOf(found.Status.To)
		}
		reply(w, found, err)
	})
	return mux
}

// ErrElsewhere: the server sees other files under a path than this process.
var ErrElsewhere = errors.New("the server sees other files than this command")

var errUnable = errors.New("the store of this server cannot erase")

// decoded decodes what is asked, and calls do.
func decoded[Asked, Found any](do func(context.Context, Asked) (Found, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked Asked
		err := gob.NewDecoder(r.Body).Decode(&asked)
		var found Found
		if err == nil {
			found, err = do(r.Context(), asked)
		}
		reply(w, found, err)
	}
}

// wireBackup asks for a backup.
type wireBackup struct {
	To   Place // as the command sees it
	Keep int
}

// wireStatus describes the regular backups.
type wireStatus struct {
	Status backup.Status
	To     Place // Status.To, as the server sees it
}

// wireImport names an import of a subject.
type wireImport struct {
	Of store.Subject
	ID string
}

// wireDays names days of a subject.
type wireDays struct {
	Subject  store.Subject
	From, To time.Time
}

func ofDays[T any](do func(ctx context.Context, subject store.Subject, from, to time.Time) (T,
	error)) http.HandlerFunc {
	return decoded(func(ctx context.Context, asked wireDays) (T, error) {
		return do(ctx, asked.Subject, asked.From, asked.To)
	})
}

// reply writes a result or an error.
func reply(w http.ResponseWriter, found any, err error) {
	var body bytes.Buffer
	if err == nil {
		err = gob.NewEncoder(&body).Encode(found)
	}
	if err != nil {
		http.Error(w, strings.ReplaceAll(err.Error(), "\n", "; "), http.StatusUnprocessableEntity)
		return
	}
	_, _ = body.WriteTo(w) // the client may be gone
}

// A wireStatement is a store.Statement with typed arguments for gob.
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

// A Client gives access to the store of a running server through its socket.
type Client struct{ http *http.Client }

// Dial returns a client of the server at path, or nil if no server listens there.
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

// Close closes the connections to the server.
func (c *Client) Close(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// Dialect returns the dialect of the server's file.
func (c *Client) Dialect() *dialect.Dialect { return embedded.Dialect() }

// Query runs stmt in the server. If the server ended, the error wraps store.ErrUnavailable.
func (c *Client) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := new(store.Rows)
	return rows, c.ask(ctx, http.MethodPost, "query", wire(stmt), rows)
}

// Write implements [store.Writer] in the server.
func (c *Client) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	var written store.Written
	err := c.ask(ctx, http.MethodPost, "write", b, &written)
	return written, err
}

// Ping reports whether the server answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Subjects(ctx)
	return err
}

// Subjects lists the subjects with rows in the server's store.
func (c *Client) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	return all, c.ask(ctx, http.MethodGet, "subjects", nil, &all)
}

// ErasePerson implements [store.PersonEraser] in the server.
func (c *Client) ErasePerson(ctx context.Context, p store.Person) (map[string]int64, error) {
	var removed map[string]int64
	err := c.ask(ctx, http.MethodPost, "erase/person", p, &removed)
	return removed, err
}

// RemoveImport implements [store.Remover] in the server.
func (c *Client) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	var removed map[string]int64
	err := c.ask(ctx, http.MethodPost, "import/remove", wireImport{of, id}, &removed)
	return removed, err
}

// Claim implements [store.Remover] in the server.
func (c *Client) Claim(ctx context.Context, b *store.Batch) error {
	var claimed bool
	return c.ask(ctx, http.MethodPost, "import/claim", b, &claimed)
}

// Erase implements [store.Eraser] in the server.
func (c *Client) Erase(ctx context.Context, s store.Subject) (int64, error) {
	var removed int64
	err := c.ask(ctx, http.MethodPost, "erase", s, &removed)
	return removed, err
}

// Purge implements [store.Purger] in the server.
func (c *Client) Purge(ctx context.Context) error {
	var purged bool
	return c.ask(ctx, http.MethodPost, "purge", nil, &purged)
}

// Days implements [store.DayLister] in the server.
func (c *Client) Days(ctx context.Context, subject store.Subject, from, to time.Time) ([]store.Day, error) {
	var days []store.Day
	return days, c.ask(ctx, http.MethodPost, "days", wireDays{subject, from, to}, &days)
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

// Backup makes a backup in the folder to with the rights of the server. It keeps the newest backups there; 0 keeps all.
// It fails unless this process sees the complete backup, too.
func (c *Client) Backup(ctx context.Context, to string, keep int) (backup.Made, error) {
	place, err := PlaceOf(to)
	if err != nil {
		return backup.Made{}, err
	}
	var made backup.Made
	if err := c.ask(ctx, http.MethodPost, "backup", wireBackup{place, keep}, &made); err != nil {
		return backup.Made{}, err
	}
	seen, err := backup.ReadManifest(made.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !seen.Equal(&made.Manifest) {
		return backup.Made{}, elsewhere(made.Path)
	}
	return made, err
}

// Backups describes the regular backups of the server. Its error wraps [ErrElsewhere] if this process sees other files
// in their folder; the status is valid then.
func (c *Client) Backups(ctx context.Context) (backup.Status, error) {
	var found wireStatus
	err := c.ask(ctx, http.MethodGet, "backups", nil, &found)
	if err == nil && found.Status.To != "" && found.To.check() != nil {
		err = fmt.Errorf("%w in the folder of its backups, %s", ErrElsewhere, found.Status.To)
	}
	return found.Status, err
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
