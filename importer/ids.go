package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/visitorid"
)

// ids makes all ids that an import stores, except ids of visitors and sessions by address, which visitors makes.
type ids struct{ of *visitorid.Importer }

// visitor returns the stored id of a visitor whom another program gave this id.
func (i *ids) visitor(id string) string { return i.of.Visitor(id) }

// session returns the stored id of a session that a file of this format names.
func (i *ids) session(format, id string) string { return i.of.Hash(format+" session", id) }

// event returns the stored id of the n-th event of a record. It is the same whenever the record is imported. A record
// without an id is identified by its source up to its end, whose hash digest is, so a file has the same ids under any
// name, and after it has grown. Such ids rise with the position in the source, in bytes or records, and from one source
// to one whose first record is later: ids decide the order of rows with the same time, and an access log has whole
// seconds.
func (i *ids) event(format string, r *Record, first time.Time, position int64, digest string, n int) string {
	if r.ID != "" {
		return i.of.Hash(format+" event", r.ID)
	}
	return fmt.Sprintf("%012x%012x%06x%x", max(0, first.UnixMilli()), position, n, digest[:idBytes])
}

// tableDigest identifies the record with a number in a table of the host.
func tableDigest(name string, number int64) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(name+"\x00"), uint64(number)))
	return string(sum[:])
}
