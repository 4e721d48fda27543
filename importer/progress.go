package importer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
)

// A journal is the content of the file Config.Progress: how far each source is stored. It is written before each
// batch, so that after a kill exactly one batch is in doubt: its rows may or may not be stored.
type journal struct {
	Website string `json:"website"`
	// Run counts the imports. An import that did not end has Secret, and continues under its number.
	Run    int    `json:"run"`
	Secret []byte `json:"secret,omitempty"` // of visitor ids; deleted at the end of the import
	Import string `json:"import"`           // id of the import, see store.Import
	// Undone: an import was taken back, so rows of sources that are read again may be stored.
	Undone bool  `json:"undone,omitempty"`
	Kept   *kept `json:"kept,omitempty"` // the secret of the last import that ended

	Sources []*place `json:"sources"`

	file string     // empty means that nothing is saved
	dry  bool       // nothing is changed
	mu   sync.Mutex // of Sources and their places, which the sink commits while sources are read
	// byBlock has the places by their first blocks.
	byBlock map[block][]*place
}

// A place is how far a source is stored. Positions are in bytes of its decompressed content, or in records.
type place struct {
	Name string `json:"name,omitempty"` // of a table of the host
	// Done is the end of the last record whose rows are stored. The records from Done to Read are in doubt.
	Done int64 `json:"done"`
	Read int64 `json:"read"`
	// Sum is the hash of the content before Read, and Block that of the part of it that finds the place. Only
	// content that begins with all of what was read is the same source.
	Sum   string `json:"sum,omitempty"`
	Block block  `json:"block"`
	Ended bool   `json:"ended,omitempty"` // the source ended at Done
	Run   int    `json:"run"`             // the last import that read it
	Since int64  `json:"since,omitempty"` // Done at the beginning of that import
	// Imports are the ids of the imports that stored rows of it.
	Imports []string `json:"imports,omitempty"`

	blocks []block // of the source, by size
	taken  bool    // by a source of this import
}

// A block is the hash of the first Size bytes of a content.
type block struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum,omitempty"`
}

// blocksOf returns the blocks of a content with this head, by size: few sizes, so that a place is found by few
// look-ups.
func blocksOf(head []byte) []block {
	all := []block{{}}
	for size := 256; size <= headSize && size <= len(head); size *= 4 {
		sum := sha256.Sum256(head[:size])
		all = append(all, block{int64(size), hex.EncodeToString(sum[:])})
	}
	return all
}

// openJournal reads the journal of a website, or begins one. If again is true, it forgets what was imported.
func openJournal(ctx context.Context, cfg *Config) (*journal, error) {
	j := &journal{Website: cfg.Website.ID, file: cfg.Progress, dry: cfg.DryRun, byBlock: map[block][]*place{}}
	if j.file != "" {
		text, err := os.ReadFile(j.file)
		if err == nil {
			err = json.Unmarshal(text, j)
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("importer: progress: %s: %w", j.file, err)
		case j.Website != cfg.Website.ID:
			return nil, fmt.Errorf("importer: progress: %s is of the website %q, not of %q",
				j.file, j.Website, cfg.Website.ID)
		}
	}
	if cfg.Again {
		j.Sources = nil
	}
	for _, p := range j.Sources {
		j.byBlock[p.Block] = append(j.byBlock[p.Block], p)
	}
	if len(j.Secret) > 0 && !cfg.Again {
		return j, nil
	}
	j.Run++
	j.Import = newImport()
	return j, j.begin(ctx, cfg)
}

// newImport returns an id of an import. It stands in every row of the import, so it is short: it only has to differ
// from those of other imports into the same website.
func newImport() string { return "imp_" + strings.ToLower(rand.Text()[:10]) }

// Forget forgets in the progress file of a website what an import read, so that the same sources are imported again
// after the import was taken back. Rows of other imports from these sources are then recognised, and not stored twice.
// A file that does not exist has nothing to forget. The error is [ErrBusy] while an import uses the file.
func Forget(progress, id string) error {
	unlock, err := lock(progress)
	if err != nil {
		return err
	}
	defer unlock()
	j := &journal{file: progress}
	text, err := os.ReadFile(progress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err != nil {
		return fmt.Errorf("importer: progress: %s: %w", progress, err)
	}
	j.Sources = slices.DeleteFunc(j.Sources, func(p *place) bool { return slices.Contains(p.Imports, id) })
	j.Undone = true
	if j.Import == id { // nothing continues it
		j.Secret, j.Import = nil, ""
	}
	return j.save()
}

// begin sets the secret of an import that does not continue another one: that of the last import while it is kept,
// or a new one.
func (j *journal) begin(ctx context.Context, cfg *Config) error {
	secret, err := j.Kept.open(ctx, cfg)
	if err != nil {
		return err
	}
	if secret == nil {
		secret = make([]byte, sha256.Size)
		_, _ = rand.Read(secret) // never fails
		if j.file != "" && !j.dry {
			if err := os.Remove(j.visitorsFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	j.Secret, j.Kept = secret, nil
	return nil
}

// visitorsFile is the file with the sessions of the last import that ended.
func (j *journal) visitorsFile() string { return j.file + ".visitors" }

// candidates returns the places whose content this head may begin, those that were read furthest first.
func (j *journal) candidates(head []byte) []*place {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []*place
	for _, b := range blocksOf(head) {
		for _, p := range j.byBlock[b] {
			if p.Name == "" && p.Read > 0 && !p.taken {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *place) int { return cmp.Compare(b.Read, a.Read) })
	return all
}

// enter takes a place for a source of this import. A nil place means a new one. It returns how far the source was
// stored before.
func (j *journal) enter(p *place, blocks []block) (taken *place, before place) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p == nil {
		p = &place{Run: j.Run}
		j.Sources = append(j.Sources, p)
	} else if p.Run != j.Run {
		p.Run, p.Since = j.Run, p.Done
	}
	p.blocks, p.taken = blocks, true
	if !slices.Contains(p.Imports, j.Import) {
		p.Imports = append(slices.Clip(p.Imports), j.Import)
	}
	return p, *p
}

// table returns the place of a table of the host; nil if it was not imported.
func (j *journal) table(name string) *place {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range j.Sources {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// save writes the journal to its file.
func (j *journal) save() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == "" {
		return nil
	}
	all := j.Sources
	j.Sources = slices.DeleteFunc(slices.Clone(all), func(p *place) bool { return p.Read == 0 })
	text, err := json.Marshal(j) //nolint:gosec // the file has mode 0600, and the secret only until the import ends
	j.Sources = all
	if err != nil {
		return err
	}
	return atomicfile.Replace(j.file, text)
}

// finish ends the import: it deletes the secret, and keeps it for a day if there are salts to hide it with. Nobody
// can then tie visitor ids to addresses.
func (j *journal) finish(ctx context.Context, cfg *Config, people *visitors) error {
	if cfg.Salts != nil && j.file != "" {
		var err error
		if j.Kept, err = hide(ctx, cfg, j.Secret); err != nil {
			return err
		}
		if err := people.save(j.visitorsFile()); err != nil {
			return fmt.Errorf("importer: progress: %w", err)
		}
	}
	j.Secret = nil
	return j.save()
}

// A mark is the position in a source up to which a batch has its records.
type mark struct {
	end   int64
	sum   string // hash of the content before end
	ended bool
}

// doubt notes that a batch with these marks is being stored.
func (j *journal) doubt(marks map[*place]mark) error {
	j.mu.Lock()
	for p, m := range marks {
		if m.end > p.Done {
			p.read(m)
		}
	}
	j.mu.Unlock()
	return j.save()
}

// read notes that the content before m was read.
func (p *place) read(m mark) {
	p.Read, p.Sum = m.end, hex.EncodeToString([]byte(m.sum))
	p.Block = block{}
	for _, b := range p.blocks {
		if b.Size <= p.Read {
			p.Block = b
		}
	}
}

// commit notes that the batch is stored. The next doubt, or finish, saves it.
func (j *journal) commit(marks map[*place]mark) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for p, m := range marks {
		if m.end >= p.Done {
			p.read(m)
			p.Done, p.Ended = m.end, m.ended
		}
	}
}
