// Package chtest gives each test its own database on a ClickHouse server, and starts servers for tests that break
// them:
//
//	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
//	conn := chtest.Connect(t, dsn)
//	chtest.Exec(t, conn, "CREATE TABLE x (n UInt64) ENGINE = MergeTree ORDER BY n")
//	server := chtest.Start(t) // a server for this test
//	server.Kill()
//
// The environment defines the servers:
//
//   - CLICKHOUSE_DSN and CLICKHOUSE_HTTP_DSN are the native and the HTTP address of a server. Its user may create
//     databases.
//   - CLICKHOUSE_UP is a command that runs a server on loopback. "$CLICKHOUSE_UP start --name NAME --data DIR
//     --http-port PORT --native-port PORT FLAG…" prints the HTTP address when the server responds. With native instead
//     of start it prints the native address. "$CLICKHOUSE_UP stop --name NAME" stops the server. One of the
//     process's arguments must be --path=DIR, so that the process can be found and killed (on Linux).
//   - CLICKHOUSE_FAULTS is a path on the HTTP port of a server that was started with --faults. The path accepts
//     faults: POST PATH?delay=1s&fail-every=3&drop-after=1000.
//
// If a variable is not set, tests that need it are skipped, or fail with CI=true.
package chtest
