package dialect

// table is where databases differ: a row per operation, a column per database.
var table = [numFuncs]struct{ name, duckdb string }{
	Count:      {"Count", "count(*)"},
	CountIf:    {"CountIf", "count(*) FILTER (WHERE $1)"},
	Uniq:       {"Uniq", "count(DISTINCT nullif($1, ''))"},
	Sum:        {"Sum", "coalesce(sum($1), 0)::BIGINT"},
	SumIf:      {"SumIf", "coalesce(sum($1) FILTER (WHERE $2), 0)::BIGINT"},
	SumOver:    {"SumOver", "(sum($1) OVER ())::BIGINT"},
	Min:        {"Min", "min($1)"},
	Max:        {"Max", "max($1)"},
	MinIf:      {"MinIf", "min($1) FILTER (WHERE $2)"},
	MaxIf:      {"MaxIf", "max($1) FILTER (WHERE $2)"},
	FirstIf:    {"FirstIf", "coalesce(arg_min($1, $2) FILTER (WHERE $3), '')"},
	LastIf:     {"LastIf", "coalesce(arg_max($1, $2) FILTER (WHERE $3), '')"},
	LatestIf:   {"LatestIf", "coalesce(arg_max($1, ROW($2)) FILTER (WHERE $3), '')"},
	Latest:     {"Latest", "arg_max($1, ROW($2))"},
	Quantile:   {"Quantile", "round(quantile_cont(($1)::DOUBLE, $2 / 1000) * 1000)::BIGINT"},
	Ratio:      {"Ratio", "($1)::DOUBLE / nullif($2, 0)"},
	Coalesce:   {"Coalesce", "coalesce($*)"},
	NullIf:     {"NullIf", "nullif($1, $2)"},
	If:         {"If", "CASE WHEN $1 THEN $2 ELSE $3 END"},
	Greatest:   {"Greatest", "greatest($*)"},
	Least:      {"Least", "least($*)"},
	FloorDiv:   {"FloorDiv", "floor(($1) / $2)::BIGINT"},
	Contains:   {"Contains", "contains($1, $2)"},
	StartsWith: {"StartsWith", "starts_with($1, $2)"},
	OneOf:      {"OneOf", "list_contains($2, $1)"},
	Lower:      {"Lower", "lower($1)"},
	Concat:     {"Concat", "concat($*)"},
	Lookup:     {"Lookup", "coalesce(list_extract($3, list_position($2, $1)), $4)"},
	Position:   {"Position", "list_position($2, $1)"},
	Host:       {"Host", `regexp_extract(lower($1), '^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(?:www[.])?([^/?#:\[\]]*[^/?#:\[\].]|\[[^/?#]*\])', 1)`},
	JSONText:   {"JSONText", "to_json($1)::VARCHAR"},
	ISO:        {"ISO", "strftime(make_timestamp(($1) * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')"},
	Join:       {"Join", "string_agg($1, ',' ORDER BY $2)"},
	RowNumber:  {"RowNumber", "row_number() OVER (PARTITION BY $1 ORDER BY $2)"},
	Previous:   {"Previous", "lag($1) OVER (PARTITION BY $2 ORDER BY $3)"},
	Next:       {"Next", "lead($1) OVER (PARTITION BY $2 ORDER BY $3)"},
	RunningMax: {"RunningMax", "max($1) OVER (PARTITION BY $2 ORDER BY $3 ROWS UNBOUNDED PRECEDING)"},
	Properties: {"Properties", "CROSS JOIN LATERAL (SELECT key, CASE WHEN type = 'VARCHAR' THEN value->>'$$' ELSE value::VARCHAR END AS value" +
		" FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END))"},
	Unnest: {"Unnest", "(SELECT unnest($1) AS value)"},
	Zip3:   {"Zip3", "(SELECT unnest($1) AS bucket, unnest($2) AS since, unnest($3) AS until)"},
}

// String is the operation's name.
func (f Func) String() string {
	if f < numFuncs {
		return table[f].name
	}
	return "Func(?)"
}
