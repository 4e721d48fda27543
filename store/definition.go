package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A DefinitionKind is what a definition defines.
type DefinitionKind string

// The kinds of definitions.
const (
	GoalDefinition    DefinitionKind = "goal"
	FunnelDefinition  DefinitionKind = "funnel"
	SegmentDefinition DefinitionKind = "segment" // filters
)

// DefinitionKinds lists all kinds, in the order in which definitions are listed.
func DefinitionKinds() []DefinitionKind {
	return []DefinitionKind{GoalDefinition, FunnelDefinition, SegmentDefinition}
}

// MaxDefinitions is the largest number of definitions of one website.
const MaxDefinitions = 200

// A Definition is a goal, a funnel or a segment that people saved by a name. Package query/saved knows what Body means.
type Definition struct {
	Kind    DefinitionKind
	Name    string          // unique among the definitions of a kind of a website
	Body    json.RawMessage // an object
	Created time.Time       // whole milliseconds in UTC
	Updated time.Time       // likewise
}

// ErrManyDefinitions: the website would have more than [MaxDefinitions].
var ErrManyDefinitions = fmt.Errorf("store: more than %d definitions of a website", MaxDefinitions)

// A DefinitionStore keeps what people saved by name, per website. It is safe for concurrent use.
type DefinitionStore interface {
	// Definitions lists the definitions of a website in the order of [CompareDefinitions].
	Definitions(ctx context.Context, website string) ([]Definition, error)
	// PutDefinition stores d, in place of the one of its kind and name, whose Created stays. It sets the times, and returns d as it
	// is stored. Its error wraps [ErrManyDefinitions] or [ErrNotFound], if there is no such website.
	PutDefinition(ctx context.Context, website string, d Definition) (Definition, error)
	// RemoveDefinition removes a definition. Its error wraps [ErrNotFound].
	RemoveDefinition(ctx context.Context, website string, kind DefinitionKind, name string) error
}

// CompareDefinitions orders definitions by kind, in the order of [DefinitionKinds], then by Created, then by name.
func CompareDefinitions(a, b Definition) int {
	all := DefinitionKinds()
	return cmp.Or(cmp.Compare(slices.Index(all, a.Kind), slices.Index(all, b.Kind)), a.Created.Compare(b.Created), strings.Compare(a.Name, b.Name))
}
