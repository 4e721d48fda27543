//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// migrations are the steps from nothing to the schema of this program, in order.
// Step i leads to version i+1. A step that was released is never changed.
func migrations() ([]string, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

// schemaVersion reads how far the schema of a file has come.
func schemaVersion(c *conn) (int, error) {
	var version int64
	err := c.each("SELECT version::BIGINT FROM schema_version", nil, func(v []sqldriver.Value) error {
		return scan(v, &version)
	})
	if err != nil {
		if strings.Contains(err.Error(), "schema_version does not exist") {
			return 0, &fault{kind: store.ErrCorrupt, cause: errors.New("a database of another program")}
		}
		return 0, err
	}
	return int(version), nil
}

// migrate brings the schema from version to that of steps, whole or not at all.
func migrate(c *conn, version int, steps []string) error {
	if version >= len(steps) {
		return compatible(version, steps)
	}
	return c.transact(func() error {
		if version == 0 {
			if err := c.exec("CREATE TABLE schema_version(version INTEGER NOT NULL); INSERT INTO schema_version VALUES (0)"); err != nil {
				return err
			}
		}
		for i, step := range steps[version:] {
			if err := c.exec(step); err != nil {
				return fmt.Errorf("duckdb: schema step %d: %w", version+i+1, err)
			}
		}
		return c.exec(fmt.Sprintf("UPDATE schema_version SET version = %d", len(steps)))
	})
}

// compatible refuses a schema that knows more steps than this program.
func compatible(version int, steps []string) error {
	if version <= len(steps) {
		return nil
	}
	return &fault{
		kind:  store.ErrNewerSchema,
		cause: fmt.Errorf("it has version %d, this program knows %d", version, len(steps)),
	}
}
