package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
)

// flagRecord is a flag in responses.
type flagRecord struct {
	flags.Flag

	Schedule  []stepRecord `json:"schedule"`
	CreatedAt health.Time  `json:"createdAt"`
	UpdatedAt health.Time  `json:"updatedAt"`
}

type stepRecord struct {
	At         health.Time  `json:"scheduledAt"`
	Action     flags.Action `json:"action"`
	Percentage float64      `json:"value"`
}

func flagRecordOf(f flags.Flag) flagRecord {
	r := flagRecord{f, []stepRecord{}, health.Time{Time: f.CreatedAt}, health.Time{Time: f.UpdatedAt}}
	for _, s := range f.Schedule {
		r.Schedule = append(r.Schedule, stepRecord{health.Time{Time: s.At}, s.Action, s.Percentage})
	}
	return r
}

// definitionsBody is the response with a list of flags.
type definitionsBody struct {
	Success bool         `json:"success"`
	Flags   []flagRecord `json:"flags"`
	Count   int          `json:"count"`
}

// flagBody is the response after a change of a flag.
type flagBody struct {
	Success bool       `json:"success"`
	Flag    flagRecord `json:"flag"`
}

// listFlags answers with the flags of a client in one environment or without environment, the newest first.
func (a *api) listFlags(ctx context.Context, _ *front.Request, q *flagQuestion) (*front.Answer, error) {
	all, err := a.cfg.Flags.Editor().List(ctx, q.client)
	if err != nil {
		return nil, err
	}
	body := definitionsBody{Success: true, Flags: []flagRecord{}}
	for _, f := range all {
		if f.Environment == q.context.Environment {
			body.Flags = append(body.Flags, flagRecordOf(f))
		}
	}
	body.Count = len(body.Flags)
	return tagged(body)
}

// readFlag reads fields of a flag from the body, and checks that the key may manage flags of the client.
func (a *api) readFlag(ctx context.Context, r *front.Request, q *flagQuestion) error {
	body, err := a.readJSON(r)
	if err != nil {
		return err
	}
	q.size = len(body)
	patch, err := flags.ParsePatch(body)
	isNew := r.Method == http.MethodPost
	if isNew && err == nil {
		_, err = patch.Flag(flags.Client{})
	}
	if err != nil || patch.ClientID == "" {
		err = patch.Check(isNew, r.Now)
	}
	if patch.ClientID == "" {
		return err
	}
	// The client is checked first, so that other callers get no information about their body.
	if denied := a.allowClient(ctx, r, q, patch.ClientID); denied != nil {
		return denied
	}
	q.patch = patch
	return err
}

// createFlag stores a new flag, or restores the removed flag with the same key.
func (a *api) createFlag(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	f, err := q.patch.Flag(q.client)
	if err != nil {
		return nil, err
	}
	kept, err := a.cfg.Flags.Editor().Create(ctx, actorOf(r), f)
	return writtenFlag(r, kept, err)
}

// changeFlag sets the fields in the body. Other fields keep their current values. A body without fields makes no
// revision.
func (a *api) changeFlag(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	t, err := a.flagTarget(ctx, r, q)
	if err != nil {
		return nil, err
	}
	var kept flags.Flag
	if q.patch.Empty() {
		kept, err = a.cfg.Flags.Editor().Flag(ctx, t.Client, t.ID)
	} else {
		kept, err = a.cfg.Flags.Editor().Change(ctx, t, q.patch.Apply)
	}
	return writtenFlag(r, kept, err)
}

// removeFlag removes a flag. A new flag with its key restores it.
func (a *api) removeFlag(ctx context.Context, r *front.Request, q *flagQuestion) (*front.Answer, error) {
	t, err := a.flagTarget(ctx, r, q)
	if err == nil {
		err = a.cfg.Flags.Editor().Remove(ctx, t)
	}
	if err != nil {
		return nil, retried(r, err)
	}
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}

func writtenFlag(r *front.Request, f flags.Flag, err error) (*front.Answer, error) {
	if err != nil {
		return nil, retried(r, err)
	}
	rep, err := front.JSON(flagBody{true, flagRecordOf(f)})
	if err == nil {
		rep.Header = http.Header{"Etag": {`"` + strconv.FormatInt(f.Revision, 10) + `"`}}
	}
	return rep, err
}

// retried returns err. If the caller named no revision and concurrent changes always came first, it returns an
// UnavailableError.
func retried(r *front.Request, err error) error {
	if errors.Is(err, flags.ErrConflict) && r.Header.Get("If-Match") == "" {
		return &front.UnavailableError{Part: "flags", Err: err}
	}
	return err
}

// flagTarget returns the flag in the path, at a revision in If-Match.
func (a *api) flagTarget(ctx context.Context, r *front.Request, q *flagQuestion) (flags.Target, error) {
	t := flags.Target{Client: q.client, ID: r.Segment, Actor: actorOf(r)}
	tags := strings.Split(strings.Join(r.Header.Values("If-Match"), ","), ",")
	for i, tag := range tags {
		tags[i] = strings.TrimSpace(tag)
	}
	if slices.Contains(tags, "*") || len(tags) == 1 && tags[0] == "" {
		return t, nil
	}
	f, err := a.cfg.Flags.Editor().Flag(ctx, t.Client, t.ID)
	if err != nil {
		return t, err
	}
	if !slices.Contains(tags, `"`+strconv.FormatInt(f.Revision, 10)+`"`) {
		return t, flags.ErrConflict
	}
	t.Revision = f.Revision
	return t, nil
}

// actorOf returns the caller for the history of flags.
func actorOf(r *front.Request) flags.Actor {
	k := r.Key()
	by := flags.Actor{Kind: "key", ID: k.ID, Name: k.Name}
	if len(by.Name) > flags.MaxID {
		by.Name = ""
	}
	return by
}
