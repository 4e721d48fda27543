package importer

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
)

const (
	sessionGap  = 30 * time.Minute
	maxVisitors = 1 << 17 // that are remembered; each takes about 300 bytes
	maxSessions = 8       // of a visitor that are remembered: the latest ones that had a request
	idBytes     = 16
)

// visitors finds the visitors and sessions of addresses and user agents. It remembers the maxVisitors latest ones:
// a session of an older one ends early.
type visitors struct {
	secret  []byte
	keyed   hash.Hash // with secret
	website string
	recent  *lru.Cache[senderKey, visitor]
}

// A senderKey is the hash of an address with a user agent.
type senderKey [idBytes]byte

// A visitor is an address with a user agent.
type visitor struct {
	day      int64 // UTC day of id, since 1970
	id       string
	sessions []session
}

// A session has requests that are at most sessionGap apart.
type session struct {
	First, Last int64 // ms since 1970
	ID          [idBytes]byte
}

func newVisitors(secret []byte, website string) (*visitors, error) {
	recent, err := lru.New[senderKey, visitor](maxVisitors)
	return &visitors{secret, hmac.New(sha256.New, secret), website, recent}, err
}

// find returns the visitor id and the session id of a sender at a time. Times may go back: a request belongs to any
// session of the sender that it is at most sessionGap away from, in either direction.
func (v *visitors) find(address, agent string, at time.Time) (id, session string) {
	sender := address + "\x00" + agent
	key := v.hash("sender", []byte(sender))
	one, _ := v.recent.Get(key)
	session = v.session(&one, key, at.UnixMilli())
	const day = 24 * 60 * 60
	if today := at.Unix() / day; one.id == "" || one.day != today {
		one.day, one.id = today, v.daily(today, sender)
	}
	v.recent.Add(key, one)
	return one.id, session
}

// session returns the id of the session of one at a time, and continues it or begins one.
func (v *visitors) session(one *visitor, key senderKey, at int64) string {
	gap := sessionGap.Milliseconds()
	for i := len(one.sessions) - 1; i >= 0; i-- {
		if s := &one.sessions[i]; at >= s.First-gap && at <= s.Last+gap {
			s.First, s.Last = min(s.First, at), max(s.Last, at)
			return hex.EncodeToString(s.ID[:])
		}
	}
	begun := session{at, at, v.hash("session", binary.BigEndian.AppendUint64(key[:len(key):len(key)], uint64(at)))}
	if len(one.sessions) == maxSessions {
		copy(one.sessions, one.sessions[1:])
		one.sessions[maxSessions-1] = begun
	} else {
		one.sessions = append(one.sessions, begun)
	}
	return hex.EncodeToString(begun.ID[:])
}

// daily returns the id of a sender on a day, as package track hides the ids of visitors: the secret of each day is
// another.
func (v *visitors) daily(day int64, sender string) string {
	salt := hmac.New(sha256.New, v.secret)
	_, _ = salt.Write(binary.BigEndian.AppendUint64([]byte("day"), uint64(day))) // never fails
	id := hmac.New(sha256.New, salt.Sum(nil))
	_, _ = id.Write([]byte(v.website + "\x00" + sender))
	return hex.EncodeToString(id.Sum(nil))
}

func (v *visitors) hash(purpose string, of []byte) (out [idBytes]byte) {
	v.keyed.Reset()
	_, _ = v.keyed.Write([]byte(purpose + "\x00")) // never fails
	_, _ = v.keyed.Write(of)
	copy(out[:], v.keyed.Sum(nil))
	return out
}

// keptVisitor is a visitor in the file of visitors.
type keptVisitor struct {
	Key      senderKey
	Sessions []session
}

// save writes the sessions to a file, for the next import. Without the secret, nobody can tell whose they are.
func (v *visitors) save(file string) error {
	var all []keptVisitor
	for _, key := range v.recent.Keys() {
		one, _ := v.recent.Peek(key)
		all = append(all, keptVisitor{key, one.sessions})
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(all); err != nil {
		return err
	}
	return atomicfile.Replace(file, text.Bytes())
}

// load reads what save wrote; nothing if the file does not exist.
func (v *visitors) load(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var all []keptVisitor
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(&all)
	}
	if err != nil {
		return fmt.Errorf("importer: progress: %s: %w; delete the file, then sessions of earlier imports do not continue",
			file, err)
	}
	for _, one := range all {
		v.recent.Add(one.Key, visitor{sessions: one.Sessions})
	}
	return nil
}
