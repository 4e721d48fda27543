package clickhouse_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// users defines accounts of a server: profiles with readonly = 1 and 2, and a user with only SELECT.
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
  <writer><password>w</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants><query>GRANT SELECT, INSERT, ALTER DELETE ON default.*</query></grants></writer>
  <migrator><password>m</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants><query>GRANT SELECT, INSERT, CREATE TABLE, ALTER ADD COLUMN, ALTER TTL ON default.*</query>
      <query>GRANT TABLE ENGINE ON MergeTree, TABLE ENGINE ON AggregatingMergeTree, TABLE ENGINE ON ReplacingMergeTree</query></grants></migrator>
</users>
</clickhouse>`

// rights tests each of these users on a server.
func rights(t *testing.T, server *chtest.Server) {
	open(t, clickhouse.Config{DSN: as(t, server.Native, "default", "")})
	for name, dsn := range map[string]string{"native": server.Native, "http": server.HTTP} {
		t.Run(name, func(t *testing.T) {
			t.Run("a profile with readonly = 1 cannot read, and the error says why", func(t *testing.T) {
				asked := everyWay(t, clickhouse.Config{DSN: as(t, dsn, "viewer", "v")})
				refused(t, asked, map[string]error{
					"Ping": clickhouse.ErrRights, "Query": clickhouse.ErrRights, "Write": clickhouse.ErrRights,
					"Migrate": clickhouse.ErrRights,
				})
				for way, err := range asked {
					if err != nil && !strings.Contains(err.Error(), "readonly = 2") {
						t.Errorf("%s: %v does not name readonly = 2", way, err)
					}
				}
			})
			t.Run("a profile with readonly = 2 reads", func(t *testing.T) {
				o := clickhouse.Config{DSN: as(t, dsn, "reader", "r")}
				refused(t, everyWay(t, o), map[string]error{
					"Ping": nil, "Query": nil, "Write": clickhouse.ErrRights, "Migrate": clickhouse.ErrRights,
				})
				s := connect(t, o)
				stops(t, s, server.Native, 1)
				asksMuch(t, s)
			})
			t.Run("a user with only SELECT reads", func(t *testing.T) {
				o := clickhouse.Config{DSN: as(t, dsn, "selecter", "s")}
				refused(t, everyWay(t, o), map[string]error{
					"Ping": nil, "Query": nil, "Write": clickhouse.ErrRights, "Migrate": clickhouse.ErrRights,
				})
				asksMuch(t, connect(t, o))
			})
			t.Run("a user with the rights of a writer writes and erases", func(t *testing.T) {
				o := clickhouse.Config{DSN: as(t, dsn, "writer", "w")}
				refused(t, everyWay(t, o),
					map[string]error{"Ping": nil, "Query": nil, "Write": nil, "Migrate": clickhouse.ErrRights})
				if _, err := connect(t, o).Erase(t.Context(),
					store.Subject{Kind: store.KindWebsite, ID: "w1"}); err != nil {
					t.Errorf("Erase: %v", err)
				}
			})
			t.Run("a user with the rights of a migrator migrates", func(t *testing.T) {
				conn := system(t, server.Native)
				chtest.Exec(t, conn, "ALTER TABLE events DROP COLUMN IF EXISTS title")
				chtest.Exec(t, conn, "DROP TABLE IF EXISTS checks SYNC")
				s := connect(t, clickhouse.Config{DSN: as(t, dsn, "migrator", "m"),
					Retention: 24 * time.Hour * time.Duration(1000+len(name))})
				if err := s.Migrate(t.Context()); err != nil {
					t.Errorf("Migrate: %v", err)
				}
			})
			t.Run("a user with only SELECT cannot erase", func(t *testing.T) {
				_, err := connect(t, clickhouse.Config{DSN: as(t, dsn, "selecter", "s")}).Erase(t.Context(),
					store.Subject{Kind: store.KindWebsite, ID: "w1"})
				if !errors.Is(err, clickhouse.ErrRights) {
					t.Errorf("Erase: %v, want ErrRights", err)
				}
			})
			t.Run("a profile that truncates answers and changes the meaning of SQL", func(t *testing.T) {
				s := connect(t, clickhouse.Config{DSN: as(t, dsn, "odd", "o")})
				_, err := s.Query(t.Context(),
					store.Statement{Label: "cut", SQL: "SELECT toInt64(number) FROM numbers(30)", Kinds: one().Kinds})
				if !errors.Is(err, clickhouse.ErrTooMuch) {
					t.Errorf("an answer with more rows than the profile allows: %v, want ErrTooMuch", err)
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
			t.Run("another server's password is rejected", func(t *testing.T) {
				_, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: as(t, dsn, "reader", "hush")})
				if !errors.Is(err, clickhouse.ErrAccess) || strings.Contains(err.Error(), "hush") {
					t.Errorf("Open: %v, want ErrAccess without the password", err)
				}
			})
		})
	}
}
