package query

import (
	"net/url"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/keep"
)

// Requests: see package ask.
type (
	// Bounds has the limits of requests.
	Bounds = ask.Bounds
	// Access defines what one caller may ask.
	Access = ask.Access
	// A Website is one of several that a question is about.
	Website = ask.Website
	// A Request is one query as a caller wrote it.
	Request = ask.Request
	// A Parameter asks for one query type.
	Parameter = ask.Parameter
	// Options say how to answer, in a Request or a Parameter.
	Options = ask.Options
	// A ChosenMetric is one column of a parameter that chooses its own.
	ChosenMetric = ask.ChosenMetric
	// An Action says which events are meant.
	Action = ask.Action
	// A Text is a test of a text.
	Text = ask.Text
	// A Goal is an action whose events and visitors are counted.
	Goal = ask.Goal
	// A Step is one of a funnel.
	Step = ask.Step
	// An Exclusion is an event that ends the chains of a funnel.
	ChangedMetric = ask.ChangedMetric
	Exclusion     = ask.Exclusion
	// A Filter is one condition on rows.
	Filter = ask.Filter
	// Did is a condition on what else the person of a row did.
	Did = ask.Did
	// Op is the comparison that a filter makes.
	Op = ask.Op
	// Compare is the other period that an answer is compared with.
	Compare = ask.Compare
	// Decoded is one query of a body.
	Decoded = ask.Decoded
	// Code is the machine-readable kind of a mistake.
	Code = ask.Code
	// An Error is a mistake that a caller can correct, or a failure in words safe to show.
	Error = ask.Error
	// Errors are all mistakes of one request.
	Errors = ask.Errors
)

// MaxWebsites is the most websites of one question.
const MaxWebsites = ask.MaxWebsites

// The operators of filters.
const (
	Eq            = ask.Eq
	Ne            = ask.Ne
	Contains      = ask.Contains
	NotContains   = ask.NotContains
	StartsWith    = ask.StartsWith
	NotStartsWith = ask.NotStartsWith
	EndsWith      = ask.EndsWith
	NotEndsWith   = ask.NotEndsWith
	Matches       = ask.Matches
	NotMatches    = ask.NotMatches
	In            = ask.In
	NotIn         = ask.NotIn
	Gt            = ask.Gt
	Gte           = ask.Gte
	Lt            = ask.Lt
	Lte           = ask.Lte
	Exists        = ask.Exists
	NotExists     = ask.NotExists
)

// The comparisons.
const (
	PreviousPeriod    = ask.PreviousPeriod
	PreviousYear      = ask.PreviousYear
	PreviousWeeks     = ask.PreviousWeeks
	PreviousYearWeeks = ask.PreviousYearWeeks
	NoComparison      = ask.NoComparison
)

// The codes of mistakes.
const (
	InvalidJSON  = ask.InvalidJSON
	Invalid      = ask.Invalid
	UnknownType  = ask.UnknownType
	WrongSubject = ask.WrongSubject
	BadRange     = ask.BadRange
	BadFilter    = ask.BadFilter
	BadGroup     = ask.BadGroup
	BadSort      = ask.BadSort
	TooManyRows  = ask.TooManyRows
	TooLarge     = ask.TooLarge
	Forbidden    = ask.Forbidden
	TimedOut     = ask.TimedOut
	Unavailable  = ask.Unavailable
	Internal     = ask.Internal
)

// Bounds of requests.
const (
	DefaultBatch   = ask.DefaultBatch   // queries in one body, unless the host sets another number
	DefaultDataset = ask.DefaultDataset // of a choice that names none
	DefaultLimit   = ask.DefaultLimit   // rows of an answer without a limit
	MaxLimit       = ask.MaxLimit       // the largest limit

	MaxBy           = ask.MaxBy           // dimensions by which a change is explained
	MaxPerDimension = ask.MaxPerDimension // rows of one of these dimensions
)

// ErrMisplaced is the cause of the error about an id in a body that belongs in the address.
var ErrMisplaced = ask.ErrMisplaced

// ChangedMetrics are the counts whose change the query type why explains.
func ChangedMetrics() []string { return ask.ChangedMetrics() }

// Codes lists all codes of mistakes, in a new slice.
func Codes() []Code { return ask.Codes() }

// RequestBounds returns the limits of every request. [Info] has the limits of single types.
func RequestBounds() Bounds { return ask.RequestBounds() }

// Decode reads the body of a query: see [ask.Decode].
func Decode(body []byte, maxBatch int) ([]Decoded, bool, error) { return ask.Decode(body, maxBatch) }

// ParseValues reads a request from the query parameters of a URL: see [ask.ParseValues].
func ParseValues(values url.Values) (Request, Errors) { return ask.ParseValues(values) }

// Query types: see package catalog.
type (
	// A Type is one query type.
	Type = catalog.Type
	// A Registry is a set of query types that NewRegistry checked.
	Registry = catalog.Registry
	// Info describes a query type to callers.
	Info = catalog.Info
	// DatasetInfo describes a dataset to callers.
	DatasetInfo = catalog.DatasetInfo
	// OutputField describes one column of a type's rows.
	OutputField = catalog.OutputField
	// Shape says what the rows of an answer stand for.
	Shape = catalog.Shape
	// A Window is time that ends now.
	Window = catalog.Window
	// Format says how a column is written in JSON.
	Format = catalog.Format
	// Role says how a chart uses a column.
	Role = catalog.Role
)

// The shapes of types.
const (
	Totals    = catalog.Totals
	Breakdown = catalog.Breakdown
	Series    = catalog.Series
	List      = catalog.List
)

// Today is the window that begins at local midnight.
const Today = catalog.Today

// DifferenceOrder is the value of sortBy that orders the rows of two periods by how much more a metric is: see
// [Info].Difference.
const DifferenceOrder = catalog.DifferenceOrder

// The formats of columns.
const (
	String   = catalog.String
	Integer  = catalog.Integer
	Number   = catalog.Number
	Boolean  = catalog.Boolean
	Date     = catalog.Date
	DateTime = catalog.DateTime
	JSON     = catalog.JSON
)

// The roles of columns.
const (
	DimensionRole = catalog.DimensionRole
	MetricRole    = catalog.MetricRole
)

// Builtin returns the types that every engine knows, in the order in which they are published. The slice and its types
// are new at each call: a host may change them, append more, and give all of them to NewRegistry.
func Builtin() []Type { return builtin.Types() }

// Vocabulary of types: see package catalog.
type (
	// Definitions are metrics and dimensions of a host.
	Definitions = catalog.Definitions
	// A Metric is a number that is computed from rows.
	Metric = catalog.Metric
	// A Dimension is a text of rows, which types can group by.
	Dimension = catalog.Dimension
	// A Function computes a Metric.
	Function = catalog.Function
	// TableInfo lists what types can name of a table.
	TableInfo = catalog.TableInfo
)

// The functions of metrics.
const (
	Sum     = catalog.Sum
	Average = catalog.Average
	Min     = catalog.Min
	Max     = catalog.Max
	Count   = catalog.Count
)

// PropertyPrefix begins a field of Metric.Where that is a property.
const PropertyPrefix = catalog.PropertyPrefix

// Vocabulary lists the tables with their dimensions, metrics and formats: see [catalog.Vocabulary].
func Vocabulary() []TableInfo { return catalog.Vocabulary() }

// ActionFields lists the fields that filters of actions may name, beside properties.
func ActionFields() []string { return catalog.EventFields() }

// NewRegistry checks types: see [catalog.NewRegistry].
func NewRegistry(types ...Type) (*Registry, error) { return catalog.NewRegistry(types...) }

// Answers: see package answer.
type (
	// A Response answers one request.
	Response = answer.Response
	// A Result answers one parameter.
	Result = answer.Result
	// ResultMeta says what was computed.
	ResultMeta = answer.ResultMeta
	// A Period describes the other period of a comparison.
	Period = answer.Period
	// An Instant is a time whose JSON is ISO 8601 in UTC with milliseconds.
	Instant = answer.Instant
	// Meta says what a request was resolved to.
	Meta = answer.Meta
	// A Single is a table of one row.
	Single = answer.Single
	// A Table is rows by column.
	Table = answer.Table
	// A ColumnError says why a column cannot be read as wanted.
	ColumnError = answer.ColumnError
	// A Budget bounds the bytes of JSON that the parameters of an answer take together.
	Budget = answer.Budget
)

// Where answers come from: see package answer.
type (
	// A Source gives answers.
	Source = answer.Source
	// A Reason says why a source did not give an answer.
	Reason = answer.Reason
	// An Origin is the source of an answer.
	Origin = answer.Origin
)

// The sources, in the order in which they are tried.
const (
	Remembered = answer.Remembered
	Merged     = answer.Merged
	Statement  = answer.Statement
)

// The reasons why a source does not give an answer.
const (
	Off             = answer.Off
	NotRememberable = answer.NotRememberable
	NotMergeable    = answer.NotMergeable
	FirstAsked      = answer.FirstAsked
	DaysChanged     = answer.DaysChanged
	NoRoom          = answer.NoRoom
	StatesTooLarge  = answer.TooLarge
	NotStored       = answer.NotStored
)

// Rows returns the rows of t as structs: see [answer.Rows].
func Rows[T any](t Table) ([]T, error) { return answer.Rows[T](t) }

// DefaultMaxAnswer is the largest size of an answer, in bytes of JSON, unless Config sets another one.
const DefaultMaxAnswer = answer.DefaultMaxAnswer

// NewBudget returns a Budget of that many bytes.
func NewBudget(bytes int64) *Budget { return answer.NewBudget(bytes) }

// Seals and stored states: see package keep.
type (
	// A Backlog is the remaining work of a Sealer.
	Backlog = keep.Backlog
	// A SealReport says whether seals hold the rows that are computed again.
	SealReport = keep.SealReport
	// A SealDifference is a day for which the sealed rows of a table differ from the rows computed again.
	SealDifference = keep.SealDifference
)
