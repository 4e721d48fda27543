package golden

import "testing"

func TestSQLIsLaidOutByClause(t *testing.T) {
	for _, tt := range []struct{ name, statement, want string }{
		{"a clause a line", "SELECT a, b FROM t LEFT JOIN u ON (a = b) WHERE (c) AND (d) GROUP BY 1 ORDER BY a LIMIT 1 OFFSET 0",
			"SELECT a, b\nFROM t\nLEFT JOIN u ON (a = b)\nWHERE (c) AND (d)\nGROUP BY 1\nORDER BY a\nLIMIT 1 OFFSET 0"},
		{"sub-queries are indented",
			"WITH one AS (SELECT 1), two AS ((SELECT 2) UNION ALL (SELECT 3)) SELECT x FROM (SELECT 4) AS x",
			"WITH one AS (\n  SELECT 1\n),\ntwo AS (\n  (\n    SELECT 2\n  )\n  UNION ALL (\n    SELECT 3\n  )\n)\nSELECT x\nFROM (\n  SELECT 4\n) AS x"},
		{"what brackets hold is no clause",
			"SELECT lag(a) OVER (PARTITION BY b ORDER BY c), count(*) FILTER (WHERE d AND e)",
			"SELECT lag(a) OVER (PARTITION BY b ORDER BY c), count(*) FILTER (WHERE d AND e)"},
		{"what quotes hold stays", `SELECT ' FROM '' (', "a  WHERE", ` + "` LIMIT`",
			`SELECT ' FROM '' (', "a  WHERE", ` + "` LIMIT`"},
	} {
		if got := SQL(tt.statement); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestLayoutDoesNotCount(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"line feeds and blanks", "SELECT f( a )\n  FROM t", "SELECT f(a) FROM t\n", true},
		{"blanks in quotes do", "SELECT 'a b'", "SELECT 'a  b'", false},
		{"and where words end", "SELECT ab", "SELECT a b", false},
		{"other words do", "SELECT a", "SELECT b", false},
	} {
		if got := sameWords([]byte(tt.a), []byte(tt.b)); got != tt.same {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
