package track

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// writeTimeout limits the write of a request's rows. The write continues if the sender hangs up: browsers do that
// when a page is left, and the last events of a page count, too.
const writeTimeout = 30 * time.Second

// A delivery stores accepted rows and waits until they are durable.
type delivery struct {
	writer   store.Writer
	profiles Profiles // nil without the route /identify
	now      func() time.Time
}

// write stores b.
func (d delivery) write(ctx context.Context, b *store.Batch) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	began := d.now()
	_, err := d.writer.Write(ctx, b)
	store.MeterOf(ctx).Add(b.Len(), d.now().Sub(began))
	switch {
	case errors.Is(err, store.ErrInvalid):
		return codeInternal.withCause(fmt.Errorf("rows refused: %w", err))
	case errors.Is(err, store.ErrFull):
		return codeFull.withCause(err)
	case err != nil:
		return codeDeliveryDown.withCause(err)
	}
	return nil
}

// identify stores the traits of a person.
func (d delivery) identify(ctx context.Context, i store.Identification) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	switch err := d.profiles.Identify(ctx, i); {
	case errors.Is(err, store.ErrManyTraits):
		return codeBadEvent.mistake("too_big", "traits",
			fmt.Sprintf("may have at most %d entries in total, and %d bytes as JSON", store.MaxTraits,
				store.MaxTraitsText))
	case errors.Is(err, store.ErrManyProfiles):
		return codeManyProfiles.withCause(err)
	case errors.Is(err, store.ErrInvalid):
		return codeInternal.withCause(err)
	case errors.Is(err, store.ErrFull):
		return codeFull.withCause(err)
	case err != nil:
		return codeDeliveryDown.withCause(err)
	}
	return nil
}
