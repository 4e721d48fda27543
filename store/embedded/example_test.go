package embedded_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// counted is a store that counts its statements. It embeds the type that Open returns, so it has all of its abilities.
type counted struct {
	embedded.Store
	statements atomic.Int64
}

func (c *counted) Query(ctx context.Context, s store.Statement) (*store.Rows, error) {
	c.statements.Add(1)
	return c.Store.Query(ctx, s)
}

// A host that counts the statements of the store gives the wrapper to sightline.Config or query.Config.
func Example_wrapper() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	events, err := embedded.Open(ctx, embedded.Config{Folder: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	wrapper := &counted{Store: events}
	_, lacks := store.Abilities(wrapper)
	fmt.Println("lost abilities:", len(lacks))
	_, err = wrapper.Query(ctx, store.Statement{SQL: "SELECT 1", Kinds: []dialect.Kind{dialect.Int}})
	fmt.Println(wrapper.statements.Load(), err)
	fmt.Println(wrapper.Close(ctx))
	// Output:
	// lost abilities: 0
	// 1 <nil>
	// <nil>
}
