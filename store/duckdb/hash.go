//go:build cgo

package duckdb

import (
	"crypto/sha256"
	sqldriver "database/sql/driver"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// hashOf returns the number that is stored for an id: the first 63 bits of a SHA-256 with the file's key.
// Because of the key, nobody can choose ids with the same number. hashSQL is the same function in SQL.
func hashOf(key, text string) int64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(key + text))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1) // 63 bits
}

// hashSQL returns SQL that computes hashOf for a column, with the key in the argument $key.
func hashSQL(column string) string {
	return "CASE WHEN " + column + " = '' THEN 0 ELSE (('0x' || left(sha256($key::VARCHAR || " + column + "), 16))::UBIGINT >> 1)::BIGINT END"
}

// readHashKey reads the key for hashes from the file.
func readHashKey(c engine) (key string, err error) {
	err = c.each("SELECT key FROM hash_key", nil, func(v []sqldriver.Value) error { return scan(v, &key) })
	return key, err
}

// hashStep is the number of rows that fillHashes updates in one transaction.
const hashStep = 1 << 20

// fillHashes computes the hashes of rows that are older than the hash columns. If the process ends before it
// has finished, the next start continues.
func fillHashes(c engine, key string, log *slog.Logger) error {
	for _, t := range schema.Tables() {
		var sets []string
		for _, h := range t.Hashes() {
			of := h.Of
			if of == "visitor" { // it is not stored, see schema/0011_less.sql
				of = dialect.DuckDB().Call(dialect.If, "profile_id = ''", "anonymous_id", "profile_id")
			}
			sets = append(sets, h.Name+" = "+hashSQL(of))
		}
		if len(sets) == 0 {
			continue
		}
		missing := t.Hashes()[0].Name + " IS NULL"
		for {
			var first, last, rows int64
			err := c.each("SELECT coalesce(min(rowid), 0), coalesce(max(rowid), 0), count(*) FROM "+t.ID.String()+" WHERE "+missing, nil,
				func(v []sqldriver.Value) error { return scan(v, &first, &last, &rows) })
			if err != nil {
				return err
			}
			if rows == 0 {
				break
			}
			log.Info("duckdb: upgrading an older file", "table", t.ID.String(), "rows left", rows)
			update := fmt.Sprintf("UPDATE %s SET %s WHERE %s AND rowid BETWEEN %d AND %d", t.ID, strings.Join(sets, ", "), missing, first, min(last, first+hashStep-1))
			if err := c.exec(update, named("key", key)); err != nil {
				return err
			}
			if err := c.exec("CHECKPOINT"); err != nil {
				return err
			}
		}
	}
	return nil
}
