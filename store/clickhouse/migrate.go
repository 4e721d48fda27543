package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Migrate creates missing tables, adds missing columns to older tables, and sets their TTL to
// [Config.Retention]. Only Migrate changes tables; Open does not. It is safe to call it again, also from
// several processes at once: every step can be repeated.
//
// The error wraps store.ErrNewerSchema if a newer program created the tables, which then stay unchanged;
// ErrNoSchema if the database is missing; ErrRights if the user lacks rights; and ErrTooOld if the server is
// too old.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.checkServer(ctx); err != nil {
		return err
	}
	m := migration{s, driver.Context(noDeadline{ctx}, driver.WithSettings(s.settings(ctx, "migrate")))}
	if err := m.run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("migrate: %w", explain(err))
	}
	return nil
}

// A migration is one run of Migrate.
type migration struct {
	*Store
	ctx context.Context // the context of the run
}

func (m migration) run() error {
	found, err := m.tables()
	if err != nil {
		return err
	}
	version := int64(0)
	if _, ok := found["schema_versions"]; ok {
		if version, err = m.schema(m.ctx); err != nil {
			return err
		}
	}
	for _, statement := range m.cfg.create() {
		if err := m.conn.Exec(m.ctx, statement); err != nil {
			return err
		}
	}
	for _, l := range m.cfg.layouts() {
		if err := m.alter(l, found[m.cfg.local(l.name)]); err != nil {
			return err
		}
	}
	if version == schemaVersion() {
		return nil
	}
	return m.conn.Exec(m.ctx, fmt.Sprintf("INSERT INTO schema_versions (version) VALUES (%d)", schemaVersion()))
}

// An oldTable describes an existing table before the migration.
type oldTable struct {
	columns map[string]bool
	days    int64 // until rows expire; 0: never
}

// keptDays matches the number of days at the end of a table's TTL.
var keptDays = regexp.MustCompile(` TTL .*toIntervalDay\((\d+)\)`)

// tables returns the existing tables of the database.
func (m migration) tables() (map[string]oldTable, error) {
	found := map[string]oldTable{}
	engines, err := m.Query(m.ctx, store.Statement{
		Label: "tables",
		SQL:   "SELECT t.name, t.engine_full FROM system.tables AS t WHERE t.database = currentDatabase()",
		Kinds: []dialect.Kind{dialect.Text, dialect.Text},
	})
	if err != nil {
		return nil, err
	}
	for i, name := range engines.Columns[0].Texts {
		t := oldTable{columns: map[string]bool{}}
		if days := keptDays.FindStringSubmatch(engines.Columns[1].Texts[i]); days != nil {
			t.days, _ = strconv.ParseInt(days[1], 10, 64) // the text has only digits
		}
		found[name] = t
	}
	columns, err := m.Query(m.ctx, store.Statement{
		Label: "columns",
		SQL:   "SELECT c.table, c.name FROM system.columns AS c WHERE c.database = currentDatabase()",
		Kinds: []dialect.Kind{dialect.Text, dialect.Text},
	})
	if err != nil {
		return nil, err
	}
	for i, table := range columns.Columns[0].Texts {
		if t, ok := found[table]; ok {
			t.columns[columns.Columns[1].Texts[i]] = true
		}
	}
	return found, nil
}

// alter adds the missing columns to an existing table and changes its TTL.
func (m migration) alter(l layout, before oldTable) error {
	if before.columns == nil {
		return nil // the table is new
	}
	names := []string{m.cfg.local(l.name)}
	if m.cfg.Cluster != "" {
		names = append(names, l.name)
	}
	for _, c := range l.columns {
		if before.columns[c.name] {
			continue
		}
		for _, name := range names {
			if err := m.conn.Exec(m.ctx, "ALTER TABLE "+name+m.cfg.on()+" ADD COLUMN IF NOT EXISTS "+
				c.String()); err != nil {
				return err
			}
		}
	}
	if before.days == l.days {
		return nil
	}
	change := " REMOVE TTL"
	if l.days > 0 {
		change = " MODIFY TTL " + l.expires()
	}
	return m.conn.Exec(m.ctx, "ALTER TABLE "+names[0]+m.cfg.on()+change)
}

// A version is a release of ClickHouse.
type version struct{ major, minor uint64 }

var (
	tested  = version{26, 7} // the tested version; older ones may work
	minimum = version{25, 3} // older versions lack joins on inequalities
)

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// checkServer returns an error if the server is too old, and logs a warning if it is older than the tested
// version.
func (s *Store) checkServer(ctx context.Context) error {
	said, err := s.serverVersion(ctx)
	if err != nil {
		return err
	}
	v := version{said.Version.Major, said.Version.Minor}
	switch {
	case v.before(minimum):
		return fmt.Errorf("%w: the server has version %s", ErrTooOld, v)
	case v.before(tested):
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: the server is older than the tested version",
			slog.String("server", v.String()), slog.String("tested", tested.String()))
	}
	return nil
}

// serverVersion queries the server's version, and returns when ctx ends.
func (s *Store) serverVersion(ctx context.Context) (*proto.ServerHandshake, error) {
	type answer struct {
		v   *proto.ServerHandshake
		err error
	}
	answers := make(chan answer, 1)
	//background:stop=ctx bound=one fails=caller
	go func() {
		v, err := s.conn.ServerVersion()
		answers <- answer{v, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		return a.v, explain(a.err)
	}
}

// checkedFor is the time for which a check of the schema version is reused.
const checkedFor = 10 * time.Second

// A versionCheck records when the tables last had a schema version that this program knows.
type versionCheck struct {
	mu sync.Mutex
	at time.Time
}

// checkVersion returns an error if a newer program upgraded the tables, because this program would leave the
// new columns empty.
func (s *Store) checkVersion(ctx context.Context) error {
	s.versionCheck.mu.Lock()
	defer s.versionCheck.mu.Unlock()
	now := s.cfg.Now()
	if age := now.Sub(s.versionCheck.at); 0 <= age && age < checkedFor {
		return nil
	}
	if _, err := s.schema(ctx); err != nil {
		return err
	}
	s.versionCheck.at = now
	return nil
}
