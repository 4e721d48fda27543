package store

import (
	"context"
	"time"
)

// SubjectKind says what a subject is. The texts are those of auth resources too.
type SubjectKind string

// The kinds of subject that rows can belong to.
const (
	KindWebsite  SubjectKind = "website"
	KindLink     SubjectKind = "link"
	KindSchedule SubjectKind = "schedule" // an uptime monitor
)

// A Subject is the website, short link or uptime monitor that rows belong to.
type Subject struct {
	Kind SubjectKind
	ID   string
}

// A Website is one site of an owner.
type Website struct {
	ID        string
	Owner     string
	Name      string
	Domain    string // host in lower case, without scheme and port
	IsPublic  bool   // shown in lists; it opens nothing
	CreatedAt time.Time
}

// A Directory knows which websites, links and monitors exist, and whose they are.
type Directory interface {
	// Websites lists the websites of owner by creation, then id.
	Websites(ctx context.Context, owner string) ([]Website, error)
	// Website returns one website, or an error that wraps ErrNotFound.
	Website(ctx context.Context, id string) (Website, error)
	// Owner says whose s is. Its error wraps ErrNotFound when s does not exist.
	Owner(ctx context.Context, s Subject) (string, error)
}
