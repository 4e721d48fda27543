package importer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
)

// A journal is the content of the file Config.Progress: how far each source is stored. It is written before each batch, so that
// after a kill exactly one batch is in doubt: its rows may or may not be stored.
type journal struct {
	Website string `json:"website"`
	// Run counts the imports. An import that did not end has Secret, and continues under its number.
	Run    int    `json:"run"`
	Secret []byte `json:"secret,omitempty"` // of visitor ids; deleted at the end of the import

	Sources []*place `json:"sources"`

	file string     // empty means that nothing is saved
	mu   sync.Mutex // of Sources and their places, which the sink commits while the next source is entered
}

// A place is how far a source is stored. Positions are in bytes of its decompressed content, or in records.
type place struct {
	// Sum is the hash of the first Head bytes of the content. Only sources with the same beginning are the same.
	Sum  string `json:"sum"`
	Head int64  `json:"head"`
	// Done is the end of the last record whose rows are stored. The records from Done to Doubt are in doubt.
	Done  int64 `json:"done"`
	Doubt int64 `json:"doubt,omitempty"`
	Ended bool  `json:"ended,omitempty"` // the source ended at Done
	Run   int   `json:"run"`             // the last import that read it
	Since int64 `json:"since,omitempty"` // Done at the beginning of that import
}

// openJournal reads the journal of a website, or begins one. If again is true, it forgets what was imported.
func openJournal(file, website string, again bool) (*journal, error) {
	j := &journal{Website: website, file: file}
	if file != "" {
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, j)
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("importer: progress: %s: %w", file, err)
		case j.Website != website:
			return nil, fmt.Errorf("importer: progress: %s is of the website %q, not of %q", file, j.Website, website)
		}
	}
	if again {
		j.Secret, j.Sources = nil, nil
	}
	if len(j.Secret) == 0 {
		j.Run++
		j.Secret = make([]byte, sha256.Size)
		_, _ = rand.Read(j.Secret) // never fails
	}
	return j, nil
}

// enter returns the place of a source with this head, and how far it was stored before. A table of a host has no head: its name
// identifies it.
func (j *journal) enter(head []byte, name string) (p *place, before place) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range j.Sources {
		if p.Done == 0 && p.Doubt == 0 || p.Head > int64(len(head)) || p.Head == 0 && name == "" {
			continue
		}
		if p.Sum == sumOf(head[:p.Head], name) {
			if p.Run != j.Run {
				p.Run, p.Since = j.Run, p.Done
			}
			return p, *p
		}
	}
	p = &place{Sum: sumOf(head, name), Head: int64(len(head)), Run: j.Run}
	j.Sources = append(j.Sources, p)
	return p, *p
}

func sumOf(head []byte, name string) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), head...))
	return hex.EncodeToString(sum[:])
}

// save writes the journal to its file.
func (j *journal) save() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == "" {
		return nil
	}
	text, err := json.Marshal(j) //nolint:gosec // the file has mode 0600, and the secret only until the import ends
	if err != nil {
		return err
	}
	return atomicfile.Replace(j.file, text)
}

// finish ends the import: it deletes the secret. Nobody can then tie visitor ids to addresses.
func (j *journal) finish() error {
	j.Secret = nil
	return j.save()
}

// A mark is the position in a source up to which a batch has its records.
type mark struct {
	*place

	end   int64
	ended bool
}

// begin notes that a batch with these marks is being stored.
func (j *journal) begin(marks []mark) error {
	j.mu.Lock()
	for _, m := range marks {
		m.Doubt = m.end
	}
	j.mu.Unlock()
	return j.save()
}

// commit notes that the batch is stored. The next begin, or finish, saves it.
func (j *journal) commit(marks []mark) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range marks {
		m.Done, m.Doubt, m.Ended = m.end, 0, m.ended
	}
}
