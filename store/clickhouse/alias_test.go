package clickhouse_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// In ClickHouse the name of an output column is visible in the whole SELECT, including its WHERE. So every
// column must be qualified, unless it names an output column, which only ORDER BY does.
func TestColumnsAreQualified(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../query/testdata/types/clickhouse/*.golden")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	name := regexp.MustCompile("`[^`]*`")
	ordered := regexp.MustCompile("(ORDER BY|NULLS (LAST|FIRST),) $")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := 0
		for at, line := range strings.Split(string(text), "\n") {
			for _, found := range name.FindAllStringIndex(line, -1) {
				names++
				before := line[:found[0]]
				if !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "AS ") &&
					!ordered.MatchString(before) {
					t.Errorf("%s:%d: %s is neither qualified nor an output column", filepath.Base(file), at+1,
						line[found[0]:found[1]])
				}
			}
		}
		if names == 0 {
			t.Errorf("%s has no column", file)
		}
	}
}
