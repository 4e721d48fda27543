package visitorid

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/sightline-analytics/sightline/auth"
)

// An Importer hashes the ids that another program gave to visitors, sessions and events. Unlike the hash of a
// Hasher, its hashes are the same on all days, as the ids are. It is for one goroutine.
type Importer struct {
	keyed   hash.Hash
	website string
}

// NewImporter returns an Importer for a website. It uses the newest pepper, which must not be zero.
func NewImporter(pepper auth.Pepper, website string) (*Importer, error) {
	key, err := pepper.Key("ids of imported visitors")
	if err != nil {
		return nil, err
	}
	return &Importer{hmac.New(sha256.New, key), website}, nil
}

// importedBytes is the length of a hash.
const importedBytes = 16

// Hash returns the text that is stored for an id: 32 hexadecimal digits. Equal ids with another purpose have
// another hash.
func (i *Importer) Hash(purpose, id string) string {
	i.keyed.Reset()
	i.keyed.Write([]byte(i.website + "\x00" + purpose + "\x00" + id))
	return hex.EncodeToString(i.keyed.Sum(nil)[:importedBytes])
}

// Visitor returns the text that is stored for the id of a visitor.
func (i *Importer) Visitor(id string) string { return i.Hash(visitorPurpose, id) }

const visitorPurpose = "visitor"

// Imported returns the texts that imports may have stored for the id of a visitor: one for each pepper, the newest
// first.
func Imported(pepper auth.Pepper, website, id string) ([]string, error) {
	return Digests(pepper, website, visitorPurpose, id)
}

// Purposes of the digests of persons who were erased.
const (
	ErasedVisitor = "erased visitor"
	ErasedProfile = "erased profile"
)

// Digests returns the hashes of an id for a purpose: one for each pepper, the newest first.
func Digests(pepper auth.Pepper, website, purpose, id string) ([]string, error) {
	var all []string
	for _, one := range pepper.Each() {
		i, err := NewImporter(one, website)
		if err != nil {
			return nil, err
		}
		all = append(all, i.Hash(purpose, id))
	}
	return all, nil
}
