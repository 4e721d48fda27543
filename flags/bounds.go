package flags

import (
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// ErrBound: an owner would have more flags than it may have. The error is a [BoundError].
var ErrBound = mistake.ErrBound

// A BoundError says which bound a commit would exceed. It wraps [ErrBound].
type BoundError = mistake.BoundError

// CheckOwner returns a [BoundError] if an owner cannot have flags and groups of this size. A store calls it before it
// commits a change that makes them larger, unless all its changes are [Removed] or [Scheduled].
func CheckOwner(size int64) error {
	return mistake.Within("an owner", "bytes of flags and target groups", size, MaxOwnerSets)
}

// Limits. Texts are counted in characters unless the comment says bytes.
const (
	MaxFlags   = 1000     // flags of a client, without removed ones
	MaxRemoved = 1000     // removed flags of a client; beyond it the flag removed first is deleted, with its history
	MaxGroups  = 100      // target groups of a client
	MaxSet     = 16 << 20 // bytes of JSON of all flags and groups of a client
	MaxHistory = 1000     // changes of a flag; older ones are deleted

	// A store deletes the oldest changes of a client if all its changes take more than about MaxHistoryBytes.
	MaxHistoryBytes = 16 << 20

	// A store that knows the owners of clients also bounds the sum over an owner and all its websites.
	MaxOwnerSets         = 32 << 20 // bytes of JSON of all flags and groups: see [CheckOwner]
	MaxOwnerHistoryBytes = 32 << 20 // of all changes; the oldest are deleted

	MaxRecord       = 256 << 10 // bytes of JSON of a flag or group
	MaxClient       = 255
	MaxKey          = 128
	MaxName         = 100
	MaxDescription  = 500
	MaxEnvironment  = 64
	MaxPayload      = 32 << 10 // bytes
	MaxRules        = 100      // rules of a flag or group
	MaxValues       = 1000     // values of a rule; also its batch values
	MaxValue        = 512      // a text in a rule's value or values
	MaxPatterns     = 100      // different regular expressions in the rules of a client
	MaxVariants     = 32
	MaxVariantKey   = 64
	MaxDependencies = 32
	MaxChain        = 32 // flags in a chain of dependencies
	MaxFlagGroups   = 32 // target groups of a flag
	MaxSteps        = 50 // steps of a schedule

	MaxID           = 512      // bytes of each id and of the email in a context, and of each field of an actor
	MaxProperties   = 100      // properties of a context
	MaxPropertyName = 128      // name of a property, also in a rule's field
	MaxContext      = 16 << 10 // approximate bytes of a context's properties
	MaxDepth        = 8        // nesting of lists and objects in a property
	MaxKeys         = 100      // keys in one call of EvaluateKeys
)

// lastStep returns the first instant that is too late for a step of a schedule.
func lastStep() time.Time { return time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC) }
