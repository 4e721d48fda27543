package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// version is a release of ClickHouse.
type version struct{ major, minor uint64 }

var (
	tested  = version{26, 7} // with which everything here is tested; older ones may work
	minimum = version{25, 3} // below which joins on inequalities are missing
)

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// greet finds out whether the server can do what is needed of it.
func (s *Store) greet(ctx context.Context) error {
	said, err := s.serverVersion(ctx)
	if err != nil {
		return err
	}
	v := version{said.Version.Major, said.Version.Minor}
	switch {
	case v.before(minimum):
		return fmt.Errorf("%w: it is %s", ErrTooOld, v)
	case v.before(tested):
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: the server is older than what is tested",
			slog.String("server", v.String()), slog.String("tested", tested.String()))
	}
	return nil
}

// serverVersion asks, and returns when ctx ends.
func (s *Store) serverVersion(ctx context.Context) (*proto.ServerHandshake, error) {
	type answer struct {
		v   *proto.ServerHandshake
		err error
	}
	answers := make(chan answer, 1)
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

// knownFor is how long a look at the version of the tables answers again.
const knownFor = 10 * time.Second

// knowledge is when the tables were last seen to be of a version that is known here.
type knowledge struct {
	mu sync.Mutex
	at time.Time
}

// known makes sure that no newer program has taken over the tables, so that its columns
// are not left empty.
func (s *Store) known(ctx context.Context) error {
	s.knowledge.mu.Lock()
	defer s.knowledge.mu.Unlock()
	now := s.cfg.Now()
	if age := now.Sub(s.knowledge.at); 0 <= age && age < knownFor {
		return nil
	}
	if _, err := s.schema(ctx); err != nil {
		return err
	}
	s.knowledge.at = now
	return nil
}
