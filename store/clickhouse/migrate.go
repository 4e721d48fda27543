package clickhouse

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Migrate makes the tables that are missing and brings older ones forward. Calling it
// again, or from several processes at once, does no harm: every statement may be
// repeated. Its error wraps ErrRights when the user may not, and ErrTooOld.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.greet(ctx); err != nil {
		return err
	}
	ctx = driver.Context(ctx, driver.WithSettings(s.settings(ctx, "migrate")))
	for _, statement := range s.cfg.Schema() {
		if err := s.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("migrate: %w", explain(err))
		}
	}
	if err := s.conn.Exec(ctx, fmt.Sprintf("INSERT INTO schema_versions (version) VALUES (%d)", schemaVersion)); err != nil {
		return fmt.Errorf("migrate: %w", explain(err))
	}
	return nil
}
