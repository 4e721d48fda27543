package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A DefinitionKind is what a definition defines.
type DefinitionKind string

// The kinds of definitions.
const (
	GoalDefinition    DefinitionKind = "goal"
	FunnelDefinition  DefinitionKind = "funnel"
	SegmentDefinition DefinitionKind = "segment" // filters
	// AnnotationDefinition is a text about a date or an instant, such as "Version 2.1". No request uses it.
	AnnotationDefinition DefinitionKind = "annotation"
	// NoticeDefinition says what people want to hear without looking, and where: package internal/notice. It has
	// secrets, so only keys that may save it see it.
	NoticeDefinition DefinitionKind = "notice"
	ReportDefinition DefinitionKind = "report" // a regular mail; likewise
)

// DefinitionKinds lists all kinds, in the order in which definitions are listed.
func DefinitionKinds() []DefinitionKind {
	return []DefinitionKind{GoalDefinition, FunnelDefinition, SegmentDefinition, AnnotationDefinition, NoticeDefinition,
		ReportDefinition}
}

// Sends reports whether definitions of this kind make the service send something: notices and reports do.
func (k DefinitionKind) Sends() bool { return k == NoticeDefinition || k == ReportDefinition }

// Bounds of the definitions of one website.
const (
	MaxDefinitions = 200 // goals, funnels and segments together
	MaxAnnotations = 500
	MaxNotices     = 50 // notices and reports together

	MaxDefinitionBytes  = 64 << 10 // the name and the body of one
	MaxDefinitionsBytes = 4 << 20  // the names and the bodies of all
)

// Bounds of the definitions of all websites of an owner.
const (
	MaxOwnerDefinitions      = 10_000   // definitions of all kinds
	MaxOwnerDefinitionsBytes = 16 << 20 // their names and bodies
)

// A Definition is a goal, a funnel, a segment, an annotation, a notice or a report that people saved by a name. Package
// internal/saved knows what Body means.
type Definition struct {
	Kind    DefinitionKind
	Name    string          // unique among the definitions of a kind of a website
	Body    json.RawMessage // an object
	Created time.Time       // whole milliseconds in UTC
	Updated time.Time       // likewise
}

// A DefinitionStore keeps what people saved by name, per website. It is safe for concurrent use.
type DefinitionStore interface {
	// Definitions lists the definitions of a website in the order of [CompareDefinitions].
	Definitions(ctx context.Context, website string) ([]Definition, error)
	// PutDefinition stores d, in place of the one of its kind and name, whose Created stays. It sets the times, and
	// returns d as it is stored. Its error wraps [ErrBound], or [ErrNotFound] if the website is missing.
	PutDefinition(ctx context.Context, website string, d Definition) (Definition, error)
	// RemoveDefinition removes a definition. Its error wraps [ErrNotFound].
	RemoveDefinition(ctx context.Context, website string, kind DefinitionKind, name string) error
}

// CheckDefinitions returns a [BoundError] if a website with these definitions, without the one that d replaces, cannot
// have d.
func CheckDefinitions(all []Definition, d Definition) error {
	what, most, group := "definitions", int64(MaxDefinitions), countedWith(d.Kind)
	switch group {
	case AnnotationDefinition:
		what, most = "annotations", MaxAnnotations
	case NoticeDefinition:
		what, most = "notices and reports", MaxNotices
	}
	same, size := int64(1), d.Size()
	for _, one := range all {
		size += one.Size()
		if countedWith(one.Kind) == group {
			same++
		}
	}
	number := mistake.Within("a website", what, same, most)
	return errors.Join(number, mistake.Within("a definition", "bytes", d.Size(), MaxDefinitionBytes),
		mistake.Within("a website", "bytes of definitions", size, MaxDefinitionsBytes))
}

// countedWith returns the kind that stands for all kinds with one bound.
func countedWith(kind DefinitionKind) DefinitionKind {
	switch {
	case kind.Sends():
		return NoticeDefinition
	case kind == AnnotationDefinition:
		return kind
	}
	return GoalDefinition
}

// CheckOwnerDefinitions returns a [BoundError] if an owner, whose websites have so many definitions of this size beside
// d, cannot have d. A store calls it before it commits d, unless d replaces a definition that is not smaller.
func CheckOwnerDefinitions(number, size int64, d Definition) error {
	return errors.Join(mistake.Within("an owner", "definitions", number+1, MaxOwnerDefinitions),
		mistake.Within("an owner", "bytes of definitions", size+d.Size(), MaxOwnerDefinitionsBytes))
}

// Size returns the bytes of the name and the body of d.
func (d Definition) Size() int64 { return int64(len(d.Name) + len(d.Body)) }

// CompareDefinitions orders definitions by kind, in the order of [DefinitionKinds], then by Created, then by name.
func CompareDefinitions(a, b Definition) int {
	all := DefinitionKinds()
	return cmp.Or(cmp.Compare(slices.Index(all, a.Kind), slices.Index(all, b.Kind)), a.Created.Compare(b.Created),
		strings.Compare(a.Name, b.Name))
}
