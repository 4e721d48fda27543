package clickhouse_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// as is dsn with another user.
func as(t testing.TB, dsn, user, password string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, password)
	return u.String()
}

// in is dsn with another database.
func in(t testing.TB, dsn, name string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func someEvent(id string) *store.Batch {
	return &store.Batch{Events: []store.Event{{Website: "w1", ID: id, Name: "screen_view", Path: "/", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}}
}

// everyWay asks in every way there is. It stops after Open when that fails.
func everyWay(t testing.TB, o clickhouse.Options) map[string]error {
	t.Helper()
	o.Patience, o.Linger = 500*time.Millisecond, -1
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		return map[string]error{"Open": err}
	}
	defer func() { _ = s.Close() }()
	asked := map[string]error{"Open": nil, "Ping": s.Ping(t.Context())}
	_, asked["Query"] = s.Query(t.Context(), store.Statement{Label: "events", SQL: "SELECT toInt64(count()) FROM events AS e", Kinds: one().Kinds})
	_, asked["Write"] = s.Write(t.Context(), someEvent("e1"))
	asked["Migrate"] = s.Migrate(t.Context())
	return asked
}

// refused wants every way to end as want says; ways it does not name are not looked at.
func refused(t *testing.T, asked, want map[string]error) {
	t.Helper()
	if opening := asked["Open"]; opening != nil && want["Open"] == nil {
		want = map[string]error{"Open": want["Query"]} // told earlier
	}
	for way, kind := range want {
		if err := asked[way]; !errors.Is(err, kind) {
			t.Errorf("%s: %v, want %v", way, err, kind)
		}
	}
}

func TestTypedErrors(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		t.Run("missing tables", func(t *testing.T) {
			refused(t, everyWay(t, clickhouse.Options{DSN: database(t, dsn)}), map[string]error{
				"Ping": clickhouse.ErrNoSchema, "Query": clickhouse.ErrNoSchema, "Write": clickhouse.ErrNoSchema, "Migrate": nil,
			})
		})
		t.Run("missing database", func(t *testing.T) {
			refused(t, everyWay(t, clickhouse.Options{DSN: in(t, dsn, "nowhere_at_all")}), map[string]error{
				"Ping": clickhouse.ErrNoSchema, "Query": clickhouse.ErrNoSchema, "Write": clickhouse.ErrNoSchema, "Migrate": clickhouse.ErrNoSchema,
			})
		})
		t.Run("wrong password", func(t *testing.T) {
			var log bytes.Buffer
			asked := everyWay(t, clickhouse.Options{DSN: as(t, dsn, "nobody", "hush-hush"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			refused(t, asked, map[string]error{"Open": clickhouse.ErrAccess})
			if said := fmt.Sprint(asked, log.String()); strings.Contains(said, "hush") {
				t.Errorf("%s has the password", said)
			}
		})
		t.Run("server away", func(t *testing.T) {
			var log bytes.Buffer
			front, away := newProxy(t, as(t, dsn, "default", ""), nil)
			s := connect(t, clickhouse.Options{DSN: away, Patience: 300 * time.Millisecond, Linger: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			front.down()
			asked := map[string]error{"Ping": s.Ping(t.Context()), "Migrate": s.Migrate(t.Context())}
			_, asked["Query"] = s.Query(t.Context(), one())
			_, asked["Write"] = s.Write(t.Context(), someEvent("e1"))
			_, asked["Open"] = clickhouse.Open(t.Context(), clickhouse.Options{DSN: as(t, away, "default", "hush-hush")})
			for way, err := range asked {
				if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v, want ErrUnavailable alone", way, err)
				}
			}
			if said := fmt.Sprint(asked, log.String()); strings.Contains(said, "hush") || strings.Contains(said, "param_") {
				t.Errorf("%s has the password or arguments", said)
			}
		})
	})
}

// users are accounts of a server: profiles readonly = 1 and 2, and one that may only read.
const users = `<clickhouse>
<profiles>
  <one><readonly>1</readonly></one>
  <two><readonly>2</readonly></two>
  <odd>
    <max_result_rows>20</max_result_rows><result_overflow_mode>break</result_overflow_mode><limit>3</limit>
    <extremes>1</extremes><prefer_column_name_to_alias>1</prefer_column_name_to_alias><transform_null_in>1</transform_null_in>
    <aggregate_functions_null_for_empty>1</aggregate_functions_null_for_empty><group_by_use_nulls>1</group_by_use_nulls>
    <empty_result_for_aggregation_by_empty_set>1</empty_result_for_aggregation_by_empty_set><cast_keep_nullable>1</cast_keep_nullable>
    <use_variant_as_common_type>1</use_variant_as_common_type><data_type_default_nullable>1</data_type_default_nullable>
    <join_default_strictness>ANY</join_default_strictness><session_timezone>Asia/Kathmandu</session_timezone>
  </odd>
</profiles>
<users>
  <viewer><password>v</password><networks><ip>::/0</ip></networks><profile>one</profile><quota>default</quota></viewer>
  <reader><password>r</password><networks><ip>::/0</ip></networks><profile>two</profile><quota>default</quota></reader>
  <odd><password>o</password><networks><ip>::/0</ip></networks><profile>odd</profile><quota>default</quota></odd>
  <selecter><password>s</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants><query>GRANT SELECT ON *.*</query></grants></selecter>
</users>
</clickhouse>`

func TestRights(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "users.xml")
	if err := os.WriteFile(file, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	server := chtest.Start(t, "--users", file)
	open(t, clickhouse.Options{DSN: as(t, server.Native, "default", "")})
	for name, dsn := range map[string]string{"native": server.Native, "http": server.HTTP} {
		t.Run(name, func(t *testing.T) {
			t.Run("a profile with readonly = 1 cannot even ask, and is told so", func(t *testing.T) {
				asked := everyWay(t, clickhouse.Options{DSN: as(t, dsn, "viewer", "v")})
				refused(t, asked, map[string]error{
					"Ping": clickhouse.ErrRights, "Query": clickhouse.ErrRights, "Write": clickhouse.ErrRights, "Migrate": clickhouse.ErrRights,
				})
				for way, err := range asked {
					if err != nil && !strings.Contains(err.Error(), "readonly = 2") {
						t.Errorf("%s: %v does not name readonly = 2", way, err)
					}
				}
			})
			t.Run("a profile with readonly = 2 reads", func(t *testing.T) {
				o := clickhouse.Options{DSN: as(t, dsn, "reader", "r")}
				refused(t, everyWay(t, o), map[string]error{
					"Ping": nil, "Query": nil, "Write": clickhouse.ErrRights, "Migrate": clickhouse.ErrRights,
				})
				s := connect(t, o)
				stops(t, s, server.Native, 1)
				asksMuch(t, s)
			})
			t.Run("a user with SELECT alone reads", func(t *testing.T) {
				o := clickhouse.Options{DSN: as(t, dsn, "selecter", "s")}
				refused(t, everyWay(t, o), map[string]error{
					"Ping": nil, "Query": nil, "Write": clickhouse.ErrRights, "Migrate": clickhouse.ErrRights,
				})
				asksMuch(t, connect(t, o))
			})
			t.Run("a user without SELECT on the tables", func(t *testing.T) {
				_, err := connect(t, clickhouse.Options{DSN: as(t, dsn, "selecter", "s")}).Erase(t.Context(), store.Subject{Kind: store.KindWebsite, ID: "w1"})
				if !errors.Is(err, clickhouse.ErrRights) {
					t.Errorf("Erase: %v, want ErrRights", err)
				}
			})
			t.Run("a profile that cuts answers short and reads SQL otherwise", func(t *testing.T) {
				s := connect(t, clickhouse.Options{DSN: as(t, dsn, "odd", "o")})
				_, err := s.Query(t.Context(), store.Statement{Label: "cut", SQL: "SELECT toInt64(number) FROM numbers(30)", Kinds: one().Kinds})
				if !errors.Is(err, clickhouse.ErrTooMuch) {
					t.Errorf("an answer of more rows than the profile allows: %v, want ErrTooMuch", err)
				}
				for sql, want := range map[string][]int64{
					"SELECT toInt64(number) FROM numbers(5)":                                                                   {0, 1, 2, 3, 4},
					"SELECT toInt64(sum(n.number)) FROM numbers(0) AS n":                                                       {0},
					"SELECT toInt64(0 - n.number) AS number FROM numbers(3) AS n ORDER BY number":                              {-2, -1, 0},
					"SELECT toInt64(count()) FROM numbers(2) AS a JOIN (SELECT 1 AS x FROM numbers(3)) AS b ON b.x = a.number": {3},
					"SELECT toInt64(toHour(toDateTime(0)))":                                                                    {0},
				} {
					rows, err := s.Query(t.Context(), store.Statement{Label: "odd", SQL: sql, Kinds: one().Kinds})
					if err != nil || !slices.Equal(rows.Columns[0].Ints, want) {
						t.Errorf("%s: %v, %v; want %d", sql, rows, err, want)
					}
				}
			})
			t.Run("another server's password is refused", func(t *testing.T) {
				_, err := clickhouse.Open(t.Context(), clickhouse.Options{DSN: as(t, dsn, "reader", "hush")})
				if !errors.Is(err, clickhouse.ErrAccess) || strings.Contains(err.Error(), "hush") {
					t.Errorf("Open: %v, want ErrAccess without the password", err)
				}
			})
		})
	}
}

// oldNative greets as a server of the version does, and says no more.
func oldNative(t *testing.T, major, minor, revision uint64) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	hello := text([]byte{0}, "ClickHouse")
	for _, n := range []uint64{major, minor, revision} {
		hello = binary.AppendUvarint(hello, n)
	}
	hello = text(hello, "UTC")
	hello = text(hello, "old")
	hello = binary.AppendUvarint(hello, 0)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadByte()
			_, _ = c.Write(hello)
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	return "clickhouse://default@" + ln.Addr().String() + "/default"
}

// oldHTTP refuses the parameter that every question of the driver has, as servers do that
// do not know it.
func oldHTTP(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-ClickHouse-Exception-Code", "115")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("Code: 115, e.displayText() = DB::Exception: Unknown setting client_protocol_version, e.what() = DB::Exception\n"))
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://default@", 1) + "/default"
}

func TestServerThatIsTooOld(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{
		"native, version 18":  oldNative(t, 18, 16, 54412),
		"native, version 25":  oldNative(t, 25, 2, 54412),
		"native, prehistoric": oldNative(t, 1, 1, 50000),
		"http":                oldHTTP(t),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clickhouse.Open(t.Context(), clickhouse.Options{DSN: dsn})
			if !errors.Is(err, clickhouse.ErrTooOld) || !strings.Contains(err.Error(), "25.3") {
				t.Errorf("Open: %v, want ErrTooOld with the version that is needed", err)
			}
		})
	}
}

func TestServerThatIsOlderThanWhatIsTested(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	connect(t, clickhouse.Options{DSN: oldNative(t, 25, 8, 54412), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "older than what is tested") || !strings.Contains(log.String(), "25.8") {
		t.Errorf("logged %q", log.String())
	}
}

func TestUnknownSettingOfOptions(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Options{DSN: dsn, Settings: map[string]any{"no_such_thing": 1}})
		_, err := s.Query(t.Context(), one())
		if err == nil || errors.Is(err, clickhouse.ErrTooOld) || !strings.Contains(err.Error(), "no_such_thing") {
			t.Errorf("%v, want the name of the setting, and not that the server is too old", err)
		}
	})
}

func TestHealthOfASilentServer(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		front, dsn := newProxy(t, database(t, dsn), nil)
		s := open(t, clickhouse.Options{DSN: dsn})
		checker := func() *health.Checker {
			return &health.Checker{Probes: map[string]health.Probe{health.Analytics: s.Ping}}
		}
		if r := checker().Check(t.Context()); !r.Success {
			t.Fatal("a server that answers is not healthy")
		}
		front.silent.Store(true)
		front.down()
		front.up(t)
		began := time.Now()
		report := checker().Check(t.Context())
		if took := time.Since(began); report.ClickHouse || took > 2500*time.Millisecond {
			t.Errorf("healthy %t after %s, want false after 2 s", report.ClickHouse, took)
		}
		// The probe itself ends, too: a later one finds the server back.
		front.silent.Store(false)
		front.down()
		front.up(t)
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping when the server is back: %v", err)
		}
	})
}

// system asks the server of dsn as its administrator.
func system(t testing.TB, dsn string) driver.Conn {
	t.Helper()
	o, err := driver.ParseDSN(as(t, dsn, "default", ""))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
