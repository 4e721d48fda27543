package dialect

// An Op is an operation that each database writes in its own SQL.
type Op uint8

// The operations. $1, $2, … are the operands, as in templates. Whole numbers have 64 bits.
//
// A template is an expression that binds at least as tightly as a division. Other shapes are named in the
// comments: a table or a join is followed by AS and an alias.
//
// Operands are expressions, with these exceptions:
//
//   - "expressions" are one or more, separated by commas and without parentheses: a, b. An order is expressions, each
//     ascending and none of them null. Rows of equal order may come in any order.
//   - "a list" is an argument of kind [Texts] or [Ints], or a column with such a value.
//   - "a relation" is a name from WITH, or of a logical table. Its columns are written NAME.column.
//
// A count of no rows is 0. StringAgg, and what is "never null in a group that has rows", may return anything for no
// rows.
const (
	// Aggregates.

	Count             Op = iota // rows
	CountIf                     // rows where $1
	CountDistinct               // distinct texts $1, exact; the empty text does not count
	CountDistinctHash           // distinct whole numbers $1, exact; 0 does not count
	Sum                         // sum of whole numbers $1; 0 without rows
	SumIf                       // sum of whole numbers $1 where $2; 0 without such rows
	Min                         // smallest $1; null without values
	Max                         // greatest $1; null without values
	MinNotNull                  // like Min, for $1 that is never null in a group that has rows
	MaxNotNull                  // like Max, for $1 that is never null in a group that has rows
	AnyValue                    // $1 of any row, for $1 that is never null in a group that has rows
	MinIf                       // smallest $1 where $2; null without values
	MaxIf                       // greatest $1 where $2; null without values
	ArgMinIf                    // text $1 of the row with the smallest $2, where $3; '' without such rows
	// the expressions $1 as one value of any type, of the row with the smallest $2, where $3
	ArgMinRowIf
	// the $2-th expression, counted from 1, of $1, a value of ArgMinRowIf; $3, of the same kind, if $1 has no row
	RowElement
	ArgMaxIf     // text $1 of the row with the greatest $2, where $3; '' without such rows
	ArgMaxListIf // like ArgMaxIf, but $2 are expressions, compared in order
	// $1 of the row with the greatest $2, expressions as in ArgMaxListIf, among the rows whose $1 is not null; null
	// without such rows
	ArgMaxList
	ArgMinList // like ArgMaxList, of the row with the smallest $2
	Median     // median of whole numbers $1, without nulls, times 1000; null without values
	Quantile   // like Median, the quantile at $2 thousandths: interpolated
	StringAgg  // texts $1 of the first $3 rows in the order $2, joined by commas

	// Window functions.

	SumOver   // sum of whole numbers $1 over all rows of the result
	SumWithin // sum of whole numbers $1 over the rows of the result in the partition of equal expressions $2
	RowNumber // number of the row in partition $1 in the order $2, from 1
	Lag       // $1 of the row before in partition $2 in the order $3; null for the first
	Lead      // $1 of the row after in partition $2 in the order $3; null for the last
	// greatest $1 of the rows before this one in partition $2 in the order $3; null without values. No two rows are
	// equal in this order
	MaxBefore
	RunningMax // greatest $1 of the rows up to this one, and of rows with the same $3, in partition $2 in the order $3

	// Choices and numbers.

	If        // $2 where $1, else $3
	Coalesce  // the first of $* that is not null
	NullIf    // $1, or null when it equals $2
	NullInt   // a null of kind Int
	NullFloat // a null of kind Float
	NullText  // a null of kind Text
	Greatest  // of $*, none of them null
	Least     // of $*, none of them null
	Ratio     // $1 / $2 as one floating-point division; null when $2 is 0 or null
	Sqrt      // square root of the number $1, not below 0, correctly rounded
	FloorDiv  // whole number $1 / $2, rounded down; $2 is above 0
	BitXor    // the whole number whose 64 bits are set where those of $1 and $2 differ
	// the whole number that stands for the hash $1 of an id of a subject $2, a column: the same hash has other numbers
	// for other subjects, as likely as two hashes are equal; 0 for 0
	OfSubject
	// a value of any type that < and the aggregates compare: by the instant $1, the number $2 (0 to 3), the text $3,
	// the numbers $4 and $5 (0 to 255)
	SortKey

	// Texts.

	Contains   // whether text $1 contains $2, byte by byte
	StartsWith // whether text $1 starts with $2, byte by byte
	EndsWith   // whether text $1 ends with $2, byte by byte
	// Matches reports whether the regular expression $2 matches anywhere in text $1. The expression uses the part of
	// the syntax of RE2 that all engines read in the same way or that a store can translate: literals, with \ before
	// signs; \n and its like; \x{2028}; classes of characters and ranges; (?:…), |, and * + ? {n,m}, also followed by
	// ?; \A and \z; \b and \B at words of ASCII; (?s:.) for any character, (?-s:.) for any but a line end; (?m:^) and
	// (?m:$) for the edges of lines. Flags may be around more than one sign. Without flags, ^ and $ are the edges of
	// the text, and . is any character but a line end. There are no captures, no names of classes such as \d, and no
	// letters of any case.
	Matches
	Lower  // $1 in lower case, as Go's strings.ToLower
	Concat // $* joined
	// URLHost is the host of the address $1, in lower case as by Lower, without user, port, final dot and one www. at
	// the start. It is the text after // at the start, or after a scheme and ://, up to the next of / ? #. An IPv6
	// address keeps its brackets. It is '' for other texts.
	URLHost
	TextToJSON // the text $1 as a JSON string
	// value of the first member named $2 of the JSON object $1: the text of a string, or true or false; '' for other
	// values
	JSONText
	// JSONValue is the value of the first member named $2 of the JSON object $1: the text of a string, other values as
	// JSON; '' if it is absent or null.
	JSONValue
	// JSONDecimal is the value of the first member named $2 of the JSON object $1 as a whole number of ten-thousandths,
	// rounded half away from zero. The value is a number, also with an exponent, or a string of -?[0-9]{1,9}(\.[0-9]+)?
	// with blanks, tabs and line ends around it. It is null for other values, and beyond ±999 999 999.
	JSONDecimal
	JSONHas   // whether the first member named $2 of the JSON object $1 is there and not null
	IntToText // the whole number $1 in decimal digits; '' for null
	ISO8601   // the instant $1, in milliseconds, as 2006-01-02T15:04:05.000Z
	MD5High   // upper 32 bits of the last 8 bytes, little-endian, of the MD5 of the text $1
	MD5Low    // lower 32 bits of the bytes that MD5High uses

	// Lists and tables.

	InList       // whether text $1 is in list $2
	OneOf        // whether $1 equals one of the expressions $2
	ListPosition // position of the text $1 in list $2, from 1; null if it is missing
	Lookup       // the text of list $3 at the position of $1 in list $2; $4 if it is missing
	Unnest       // a table, "(SELECT …)", with the texts of list $1 in the column value
	// a table, "(SELECT …)", with the whole numbers of the lists $1, $2, $3 in the columns bucket, since, until
	ZipBuckets
	// a join, "JOIN …" or "CROSS JOIN …", without ON, after a relation with its alias: a row with key and value for
	// each member of the JSON object $1 of the relation's row; strings as text, other values as JSON; no rows if $1 is
	// not an object
	JSONEach
	// whether relation $3 has a row, on any server of a cluster, whose columns $2, expressions, equal the expressions
	// $1
	Among
	OnlyRow // column $1 of relation $2, which has exactly one row
	// whether the row with alias $1 of a sealed table, of a day of subject $2 between the instants $3 and $4, is part
	// of the latest seal of its day; a store that keeps rows of earlier seals sets this template
	InSeals
	// 1024 times the first character of the ASCII text $1 plus the second, as a whole number; 0 stands for a missing
	// one
	PrefixNumber
	// what follows a relation's name in WITH, "AS ($1)": the query $1; if the database can, it runs once however often
	// the relation is read
	RunOnce

	numOps
)

// OfRow reports whether op is computed from a single row: it is neither an aggregate nor a window function.
func (op Op) OfRow() bool { return op >= If }
