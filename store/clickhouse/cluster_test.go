package clickhouse_test

import (
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// TestClusterSchemaIsParsed only lets a server parse the tables of a cluster: a single
// server without a keeper cannot make Replicated tables, nor run DDL on a cluster. What
// is asked of such tables is proven in internal/e2e, without their replication.
func TestClusterSchemaIsParsed(t *testing.T) {
	t.Parallel()
	conn := chtest.Connect(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	parse := func(ddl string) (formatted string, err error) {
		err = conn.QueryRow(t.Context(), "SELECT formatQuerySingleLine({ddl:String})", driver.Named("ddl", ddl)).Scan(&formatted)
		return formatted, err
	}
	schema := clickhouse.Options{Cluster: "a `strange` name", Retention: 90 * 24 * time.Hour}.Schema()
	engines := map[string]int{}
	for _, ddl := range schema {
		formatted, err := parse(ddl)
		if err != nil {
			t.Errorf("%v in\n%s", err, ddl)
		}
		if !strings.Contains(formatted, " ON CLUSTER `a \\`strange\\` name`") {
			t.Errorf("not made on the cluster: %s", formatted)
		}
		for _, engine := range []string{"ReplicatedMergeTree", "Distributed"} {
			if strings.Contains(formatted, "ENGINE = "+engine+"(") {
				engines[engine]++
			}
		}
		if _, err := parse(strings.Replace(ddl, "ENGINE", "ENGIN", 1)); err == nil {
			t.Errorf("parsed with a mistake in it:\n%s", ddl)
		}
	}
	if n := len(schema) / 2; n < 8 || engines["ReplicatedMergeTree"] != n || engines["Distributed"] != n {
		t.Errorf("engines of %d statements: %v", len(schema), engines)
	}
}
