package notify

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// A Type says what a message is.
type Type string

// The types of messages.
const (
	Began  Type = "notice.began" // what a notice is about began
	Ended  Type = "notice.ended"
	Test   Type = "notice.test" // somebody asked for it
	Weekly Type = "report"      // a regular report
)

// A Message is what is sent. Its texts are plain: what senders of events chose can be in them.
type Message struct {
	ID      string    `json:"id"` // the same in every try, so that receivers recognise repetitions
	Type    Type      `json:"type"`
	At      time.Time `json:"at"`
	Name    string    `json:"name"` // of the notice or report
	Website string    `json:"website"`
	Site    string    `json:"site"`            // the name of the website
	About   string    `json:"about,omitempty"` // the id of a monitor or the key of a flag
	Text    string    `json:"text"`            // a sentence
	Value   *float64  `json:"value,omitempty"` // the number of a notice about a number
	Tables  []Table   `json:"tables,omitempty"`
	Link    string    `json:"link,omitempty"` // to the panel
	End     string    `json:"end,omitempty"`  // of mail: an address that ends it
}

// A Table is the answer to a parameter of a report.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note,omitempty"` // such as why there are no rows
}

// A Sender delivers messages in a way of the host. to is the text of the target {"host": "…"}. An error that wraps
// [ErrGone] ends the tries.
type Sender interface {
	Send(ctx context.Context, to string, m Message) error
}

// A Mailer delivers mail. Package notify/mail has one.
type Mailer interface {
	SendMail(ctx context.Context, m Mail) error
}

// A Mail is a message as mail.
type Mail struct {
	ID      string // of the message
	To      string // an address without a name
	Subject string
	Text    string
	HTML    string
	At      time.Time
	End     string // an address that ends such mail with one POST, as RFC 8058 says; empty: none
}

// ErrGone: the receiver does not want the message, so it is not tried again.
var ErrGone = failure.New(failure.Internal, "notify: the receiver does not want it")
