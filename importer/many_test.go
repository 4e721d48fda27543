package importer

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// TestCandidates recognises each of many small files with one header: a file is compared with few others, however
// many there are.
func TestCandidates(t *testing.T) {
	j := &journal{Run: 1, byBlock: map[block][]*place{}}
	files := make([]string, 4000)
	for i := range files {
		var text strings.Builder
		text.WriteString("time,url,visitor\n")
		for row := range 10 {
			fmt.Fprintf(&text, "2026-11-20T10:%02d:%02dZ,/p%d,v%d\n", row, i%60, i, row)
		}
		files[i] = text.String()
		p, _ := j.enter(nil, blocksOf([]byte(files[i])))
		sum := sha256.Sum256([]byte(files[i]))
		p.read(mark{end: int64(len(files[i])), sum: string(sum[:])})
		p.taken = false
		j.byBlock[p.Block] = append(j.byBlock[p.Block], p)
	}
	for i, text := range files {
		if all := j.candidates([]byte(text)); len(all) != 1 || all[0] != j.Sources[i] {
			t.Fatalf("file %d has %d candidates, want itself", i, len(all))
		}
	}
}
