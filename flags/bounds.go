package flags

import "time"

// Limits. Texts are counted in characters unless it says bytes.
const (
	MaxFlags   = 1000     // of a client, those removed not counted
	MaxRemoved = 1000     // of a client; beyond it the one removed longest ago is deleted, with its history
	MaxGroups  = 100      // of a client
	MaxSet     = 16 << 20 // bytes of JSON of all that a client has
	MaxHistory = 1000     // changes of a flag; older ones are deleted

	// A store deletes the oldest changes of a client when all changes take more than about MaxHistoryBytes.
	MaxHistoryBytes = 16 << 20

	MaxRecord       = 256 << 10 // bytes of JSON of a flag or group
	MaxClient       = 255
	MaxKey          = 128
	MaxName         = 100
	MaxDescription  = 500
	MaxEnvironment  = 64
	MaxPayload      = 32 << 10 // bytes
	MaxRules        = 100      // of a flag or group
	MaxValues       = 1000     // of a rule, and of a rule's batch
	MaxValue        = 512      // of a text that a rule compares with
	MaxVariants     = 32
	MaxVariantKey   = 64
	MaxDependencies = 32
	MaxChain        = 32 // flags that depend on each other in a row
	MaxFlagGroups   = 32 // target groups of a flag
	MaxSteps        = 50 // of a schedule

	MaxID           = 512      // bytes of each id and the email of a context; of an actor's fields too
	MaxProperties   = 100      // of a context
	MaxPropertyName = 128      // also of a rule's field
	MaxContext      = 16 << 10 // bytes of a context's properties, about
	MaxDepth        = 8        // of lists and objects within each other in a property
	MaxKeys         = 100      // of one EvaluateKeys
)

// lastStep is after every instant that a schedule may name.
func lastStep() time.Time { return time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC) }
