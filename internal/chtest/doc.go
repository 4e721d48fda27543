// Package chtest gives tests databases of their own on a ClickHouse server, and starts
// servers for tests that break them.
//
// The environment says how:
//
//   - CLICKHOUSE_DSN and CLICKHOUSE_HTTP_DSN are the addresses of a server, native and
//     HTTP, whose user may create databases.
//   - CLICKHOUSE_UP is a command that runs a server on loopback. "$CLICKHOUSE_UP start
//     --name NAME --data DIR --http-port PORT --native-port PORT FLAG…" prints the HTTP
//     address when the server answers, native in place of start the native one, and
//     "$CLICKHOUSE_UP stop --name NAME" ends it. One of the process's arguments must be
//     --path=DIR: so it is found, on Linux, to be killed.
//   - CLICKHOUSE_FAULTS is the path on the HTTP port where a server started with
//     --faults takes troubles: POST PATH?delay=1s&fail-every=3&drop-after=1000.
//
// A test that needs what is not set is skipped, or fails when CI=true.
package chtest
