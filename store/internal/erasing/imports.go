package erasing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// CheckImport returns an error that wraps store.ErrInvalid if id cannot be one of an import.
func CheckImport(id string) error {
	if id == "" || strings.Contains(id, " ") || len(id) > maxImport {
		return fmt.Errorf("%w: the id of an import has 1 to %d bytes without spaces, not %q", store.ErrInvalid, maxImport,
			id)
	}
	return nil
}

const (
	maxImport  = 64   // bytes of an id
	maxImports = 1024 // bytes of a list; a row with a longer one belongs to no import
)

// BelongsTo reports whether an import is in the list of a row.
func BelongsTo(list, id string) bool { return slices.Contains(strings.Fields(list), id) }

// Without returns a list without an import.
func Without(list, id string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(list), func(one string) bool { return one == id }), " ")
}

// A Sent names rows of a subject that were sent again with equal Imports, apart from their event ids.
type Sent struct {
	Table   schema.TableID
	Kind    uint8 // as in schema.Identity
	Keyed   bool
	Subject store.Subject
	Imports string
}

// SentAgain names an item that was sent again.
func SentAgain(it schema.Item) Sent { return Sent{it.Table, it.Kind, it.Keyed, it.Of(), it.Imports} }

// Where returns SQL for the condition that a row has the kind and the sender of s. It begins with AND.
func (s Sent) Where() string {
	where := ""
	if s.Table == schema.Events {
		where = " AND kind = " + strconv.Itoa(int(s.Kind))
		if s.Kind == schema.PageEvents {
			where = " AND kind <= " + strconv.Itoa(int(store.PageEvent))
		}
	}
	if table := schema.Tables()[s.Table]; table.Has("keyed") {
		keyed := "0"
		if s.Keyed {
			keyed = "1"
		}
		where += " AND keyed = " + keyed
	}
	return where
}

// Claimed returns SQL for what imports becomes when a row is sent again, and for the condition that it changes. id is
// SQL for the import that sent it, and find the name of the function that finds a text in another one.
func Claimed(id, find string) (value, changes string) {
	return fmt.Sprintf("CASE WHEN %[1]s = '' OR length(imports) > %[2]d THEN '' ELSE imports || ' ' || %[1]s END", id,
			maxImports),
		fmt.Sprintf("imports <> '' AND %[2]s(' ' || imports || ' ', ' ' || %[1]s || ' ') = 0", id, find)
}
