package bind_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/bind"
)

func TestCheck(t *testing.T) {
	valid := []dialect.Arg{
		{Name: "int", Kind: dialect.Int, Value: int64(1)}, {Name: "float", Kind: dialect.Float, Value: 1.5},
		{Name: "text", Kind: dialect.Text, Value: "ü"}, {Name: "texts", Kind: dialect.Texts, Value: []string(nil)},
		{Name: "ints", Kind: dialect.Ints, Value: []int64{1}},
		{Name: "subject", Kind: dialect.Subject, Value: store.Subject{}},
	}
	if err := bind.Check(valid); err != nil {
		t.Errorf("valid arguments: %v", err)
	}
	for i := range valid {
		invalid := valid[i]
		invalid.Kind = valid[(i+1)%len(valid)].Kind
		if err := bind.Check([]dialect.Arg{invalid}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s as kind %d: %v, want store.ErrInvalid", invalid.Name, invalid.Kind, err)
		}
	}
	err := bind.Check([]dialect.Arg{{Name: "a", Kind: dialect.Text, Value: "\xff"},
		{Name: "b", Kind: dialect.Int, Value: 1},
		{Name: "c", Kind: dialect.Texts, Value: []string{"ok", "\xff"}},
		{Name: "d", Kind: dialect.Subject, Value: store.Subject{ID: "\xff"}}})
	for _, name := range []string{"a", "b", "c", "d"} {
		if err == nil || !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "argument "+name+":") {
			t.Errorf("%v does not list argument %s", err, name)
		}
	}
}
