package memory_test

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// A host with little memory gives a smaller budget to the service, and to the handlers that it makes itself.
func Example() {
	budget, err := memory.New(memory.Config{Bodies: 16 << 20, Answers: 32 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := sightlinetest.Open(func(cfg *sightline.Config) { cfg.Memory = budget }) // in a program: sightline.New
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(host.Close(context.Background()))
	// Output: <nil>
}
