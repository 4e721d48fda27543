package importer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	sessionGap  = 30 * time.Minute
	maxVisitors = 1 << 17 // that are remembered; each takes about 250 bytes
	idBytes     = 16
)

// visitors finds the visitors and sessions of addresses and user agents. It remembers the maxVisitors latest ones: a session of an
// older one ends early.
type visitors struct {
	secret  []byte
	website string
	recent  *lru.Cache[[idBytes]byte, visitor]
}

// A visitor is an address with a user agent.
type visitor struct {
	day     int64 // UTC day of id, since 1970
	id      string
	last    time.Time // of the latest record
	session string
}

func newVisitors(secret []byte, website string) (*visitors, error) {
	recent, err := lru.New[[idBytes]byte, visitor](maxVisitors)
	return &visitors{secret, website, recent}, err
}

// find returns the visitor id and the session id of a sender at a time. Times may go back: records of one session are less than
// sessionGap apart in either direction.
func (v *visitors) find(address, agent string, at time.Time) (id, session string) {
	var key [idBytes]byte
	sender := address + "\x00" + agent
	sum := sha256.Sum256([]byte(sender))
	copy(key[:], sum[:])
	one, known := v.recent.Get(key)
	gap := at.Sub(one.last)
	if !known || max(gap, -gap) > sessionGap {
		one.last = at
		one.session = v.hash("session", binary.BigEndian.AppendUint64(key[:len(key):len(key)], uint64(at.UnixMilli())))
	}
	if at.After(one.last) {
		one.last = at
	}
	const day = 24 * 60 * 60
	if today := at.Unix() / day; !known || one.day != today {
		one.day, one.id = today, v.daily(today, sender)
	}
	v.recent.Add(key, one)
	return one.id, one.session
}

// daily returns the id of a sender on a day, as package track hides the ids of visitors: the secret of each day is another.
func (v *visitors) daily(day int64, sender string) string {
	salt := hmac.New(sha256.New, v.secret)
	_, _ = salt.Write(binary.BigEndian.AppendUint64([]byte("day"), uint64(day))) // never fails
	id := hmac.New(sha256.New, salt.Sum(nil))
	_, _ = id.Write([]byte(v.website + "\x00" + sender))
	return hex.EncodeToString(id.Sum(nil))
}

func (v *visitors) hash(purpose string, of []byte) string {
	sum := hmac.New(sha256.New, v.secret)
	_, _ = sum.Write(append([]byte(purpose+"\x00"), of...))
	return hex.EncodeToString(sum.Sum(nil)[:idBytes])
}

// foreign returns the stored form of an id of another program: the same in every import, and separate for each format.
func foreign(format, purpose, id string) string {
	sum := sha256.Sum256([]byte(format + "\x00" + purpose + "\x00" + id))
	return hex.EncodeToString(sum[:idBytes])
}
