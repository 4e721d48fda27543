package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// ErrNotLeader: another server evaluates notices and delivers messages now.
var ErrNotLeader = failure.New(failure.Internal, "store: another server delivers notices")

// A Notice is a notice or a report with the website it is saved for, and the owner of that.
type Notice struct {
	Website, Owner string
	Definition
}

// A NoticeKey identifies a notice or a report.
type NoticeKey struct {
	Website string
	Kind    DefinitionKind
	Name    string
}

// Key returns the key of n.
func (n *Notice) Key() NoticeKey { return NoticeKey{n.Website, n.Kind, n.Name} }

// A NoticeState is what is known of a notice from one evaluation to the next. Package internal/notice knows what State
// means.
type NoticeState struct {
	NoticeKey
	About string          // the website, monitor or flag
	State json.RawMessage // nil: to be forgotten
}

// A DeliveryStatus says whether a message has arrived.
type DeliveryStatus string

// The values of DeliveryStatus.
const (
	DeliveryPending DeliveryStatus = "pending" // it is tried again
	DeliveryDone    DeliveryStatus = "delivered"
	DeliveryFailed  DeliveryStatus = "failed" // it is not tried any more
)

// Bounds of deliveries.
const (
	KeptDeliveries = 100 // that are over, per notice and target
	DuePerOwner    = 4   // messages of an owner that are tried at once, so that slow receivers of one delay no other
	MaxFault       = 500 // bytes of Delivery.Fault
)

// A Delivery is a message of a notice or report to one of its targets. Those to one target are delivered in their
// order.
type Delivery struct {
	ID string // unique; receivers use it to recognise repetitions
	NoticeKey
	Target  string          // the key of the target in the definition
	Shown   string          // the target for people, without secrets
	Message json.RawMessage // package notify knows what it means
	Created time.Time
	Seq     int64 // the place among those of the notice to the target, from 1; the store sets it
	Due     time.Time
	Tries   int64
	Tried   time.Time // the last try; zero: none
	Fault   string    // of the last try; empty: none
	Status  DeliveryStatus
}

// A MailEnd says that whoever reads the mail of a target does not want that of a notice or report any more.
type MailEnd struct {
	NoticeKey
	Target string // as in Delivery
}

// A NoticeStore keeps notices between evaluations, and messages until they are delivered. It is safe for concurrent
// use, also by several servers: one of them leads. It is optional.
type NoticeStore interface {
	// Notices lists the notices and reports of all websites, in any order.
	Notices(ctx context.Context) ([]Notice, error)
	// LeadNotices reports whether holder, a server, may evaluate and deliver for a time from now on. No other server
	// may in this time.
	LeadNotices(ctx context.Context, holder string, lease time.Duration) (bool, error)
	// ResignNotices ends the lead of holder, if it has it.
	ResignNotices(ctx context.Context, holder string) error
	// NoticeStates lists all states, in any order.
	NoticeStates(ctx context.Context) ([]NoticeState, error)
	// RecordNotices stores states and messages, all or none. Its error wraps ErrNotLeader if holder does not lead; an
	// empty holder need not lead.
	RecordNotices(ctx context.Context, holder string, states []NoticeState, messages []Delivery) error
	// DueDeliveries returns at most limit messages that are to be tried now: of those of a notice to a target only the
	// first that is pending, and at most DuePerOwner of an owner.
	DueDeliveries(ctx context.Context, limit int) ([]Delivery, error)
	// RecordDelivery stores the result of a try: Due, Tries, Tried, Fault and Status. It removes all but the last
	// KeptDeliveries that are over. Its error wraps ErrNotLeader.
	RecordDelivery(ctx context.Context, holder string, d Delivery) error
	// Deliveries returns the last messages of the notices and reports of a website, the newest first, without Message.
	Deliveries(ctx context.Context, website string, limit int) ([]Delivery, error)
	// EndMail stores an end, unless it is stored already. Its error wraps ErrNotFound if there is no such notice.
	EndMail(ctx context.Context, end MailEnd) error
	// MailEnds lists all ends, in any order.
	MailEnds(ctx context.Context) ([]MailEnd, error)
}
