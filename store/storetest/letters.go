package storetest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// letters wants the store to write in lower case what Go does, letter by letter, whatever
// stands around it: filters come in lower case from there.
func letters(t *testing.T, s store.Store) {
	words := []string{"", "ΌΔΟΣ", "ΣΊΣΥΦΟΣ ΑΣ.", "İSTANBUL", "I", "ẞ ß", "ΐ ΰ ŉ ǰ", "ǅ Ǆ", "A\u0300", "ᾈ", "ﬁ", "Ⓐ", "𐐀", "K", "ÅÅ"}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.ToLower(r) != r || unicode.ToUpper(r) != r || unicode.ToTitle(r) != r {
			words = append(words, string(r))
		}
	}
	d := s.Dialect()
	value := "v." + d.Ident("value")
	stmt := store.Statement{
		Label: "letters",
		SQL: fmt.Sprintf("SELECT %s AS a, %s AS b FROM %s AS v", value, d.Call(dialect.Lower, value),
			d.Call(dialect.Unnest, d.Arg("l", dialect.Texts))),
		Args:  []dialect.Arg{{Name: "l", Kind: dialect.Texts, Value: words}},
		Kinds: []dialect.Kind{dialect.Text, dialect.Text},
	}
	rows, err := s.Query(t.Context(), stmt)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Len != len(words) {
		t.Fatalf("%d rows, want %d", rows.Len, len(words))
	}
	for i, word := range rows.Columns[0].Texts {
		if got, want := rows.Columns[1].Texts[i], strings.ToLower(word); got != want {
			t.Errorf("%q (%U) in lower case is %q, want %q", word, []rune(word), got, want)
		}
	}
}
