// Package host is the part that the hosts share: keys, websites and flags in memory, and salts in a folder.
package host

import (
	"context"
	"errors"
	"log"
	"net/http"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// Serve serves on events until it fails. It ends the program if failed is not nil. Each of more gets the API and mounts
// something else.
func Serve(events store.Store, failed error, more ...func(api http.Handler) error) {
	ctx := context.Background()
	pepper, pepperErr := auth.PepperFile("pepper")
	keys, keysErr := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	salts, saltsErr := track.NewFileSalts(track.FileSaltsConfig{Folder: "salts"})
	if err := errors.Join(failed, pepperErr, keysErr, saltsErr); err != nil {
		log.Fatal(err)
	}
	service, err := sightline.New(sightline.Config{
		Events: events, Keys: keys, Pepper: pepper, Directory: &store.MemoryDirectory{}, Flags: &flags.Memory{},
		Audit: auth.Discard, Salts: salts,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, mount := range more {
		if err := mount(service.API()); err != nil {
			log.Fatal(err)
		}
	}
	http.Handle("/api/", http.StripPrefix("/api", service.API()))
	http.Handle("/collect/", http.StripPrefix("/collect", service.Tracking()))
	go func() { _ = service.Run(ctx) }()
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
