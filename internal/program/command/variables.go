package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// variablePrefix begins the names of all variables that options read.
const variablePrefix = "SIGHTLINE_"

// misspelled returns the variables of an environment that no option of the commands reads, and that are like one that
// an option reads. Other unknown variables may belong to scripts around this program.
func misspelled(environ []string, commands []*kong.Node) map[string]string {
	var known []string
	for _, command := range commands {
		for _, flag := range command.Flags {
			for _, name := range flag.Envs {
				known = append(known, strings.TrimPrefix(name, variablePrefix))
			}
		}
	}
	found := map[string]string{}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		word, ours := strings.CutPrefix(strings.ToUpper(name), variablePrefix)
		if !ours || slices.Contains(known, strings.TrimPrefix(name, variablePrefix)) {
			continue
		}
		if near := mistake.Nearest(word, known, nil); near != "" {
			found[name] = variablePrefix + near
		}
	}
	return found
}

// runner returns the command that runs this program, which was started as the file path.
func runner(path string) string {
	dir, name := filepath.Split(path)
	switch {
	case strings.Contains(filepath.ToSlash(dir), "/go-build"):
		return "go run ./cmd/sightline"
	case strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune("/.-_", r) && !isWord(r) }):
		return name
	}
	return path
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}
