package dialect

// An Op is an operation that every database must have, in SQL of its own.
type Op uint8

// The operations. Operands are numbered as in templates.
const (
	Count         Op = iota // rows, as a 64-bit integer
	CountIf                 // rows where $1
	CountDistinct           // distinct non-empty texts $1, exact
	Sum                     // of integers $1; of nothing 0
	SumIf                   // of integers $1 where $2; of nothing 0
	SumOver                 // of integers $1 over all rows of the result
	Min                     // of $1; of nothing null
	Max                     // of $1; of nothing null
	GroupMin                // of $1, none of them null, in a group, which has rows
	GroupMax                // of $1, none of them null, in a group, which has rows
	MinIf                   // of $1 where $2; of nothing null
	MaxIf                   // of $1 where $2; of nothing null
	FirstIf                 // $1 of the row with the least $2, where $3; texts; of nothing ''
	LastIf                  // $1 of the row with the greatest $2, where $3; texts; of nothing ''
	LatestIf                // texts $1 of the row with the greatest $2, a list, where $3; of nothing ''
	Latest                  // $1, never null, of the row with the greatest $2, a list
	Quantile                // of integers $1 but nulls, at $2 ‰, between neighbours, times 1000; of nothing null
	Ratio                   // $1 / $2 as one floating-point division; null when $2 is 0 or null
	Coalesce                // the first of $* that is not null
	NullIf                  // $1, or null when it equals $2
	If                      // $2 where $1, else $3
	Greatest                // of $*; none is null
	Least                   // of $*; none is null
	FloorDiv                // $1 / $2 towards minus infinity, whole numbers
	Contains                // text $1 contains $2, byte by byte
	StartsWith              // text $1 starts with $2, byte by byte
	OneOf                   // text $1 is in the list $2
	Lower                   // $1 in lower case
	Concat                  // $*
	Lookup                  // the text of list $3 at the place where $1 stands in list $2; else $4
	Position                // place of the text $1 in the list $2, from 1
	Host                    // host of the address $1 in lower case, without port, user, end dot and one www.; else ''
	JSONText                // the text $1 as a JSON string
	ISO                     // the instant $1, in milliseconds, as ISO 8601 in UTC with milliseconds
	StringAgg               // texts $1 of all rows in the order of $2, with commas between
	RowNumber               // place of the row in partition $1 ordered by $2, from 1
	SortKey                 // what orders by the instant $1, the number $2 of 0 to 3, the text $3, the small number $4
	Lag                     // $1 of the row before in partition $2 ordered by $3; null for the first
	Lead                    // $1 of the row after in partition $2 ordered by $3; null for the last
	RunningMax              // greatest $1 of the rows up to this one and its equals in partition $2 ordered by $3
	ZipBuckets              // a table of the integer lists $1, $2, $3 in columns bucket, since, until
	Properties              // a join: a row of key and value per member of the JSON object $1, strings as texts, else JSON
	Unnest                  // a table of the text list $1 in the column value
	Digits                  // the integer $1 as text; of null ''
	DigestHigh              // upper 32 bits of the last 8 bytes, little-endian, of the MD5 of the text $1
	DigestLow               // lower 32 bits of the same
	numOps
)
