package track

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// timeout limits a request, except for the write of its rows. The write has its own writeTimeout and continues if the
// sender hangs up.
const timeout = 30 * time.Second

// handler is safe for concurrent use.
type handler struct {
	cfg        Config
	userAgents *userAgents
	blocked    *blockedCounter
	usage      *usageCache
}

// Pages of any origin may send events. Beacons are always sent with credentials, for which browsers require the
// origin itself instead of an asterisk. Routes with keys allow no credentials, since they could otherwise be used with the
// cookie of a host's session.
var (
	beacons = cors(true)
	servers = cors(false)
)

func cors(credentials bool) *front.CORS {
	return &front.CORS{
		Any: true, AnyHeader: true, Credentials: credentials, MaxAge: 24 * time.Hour,
		Methods: "POST, GET, OPTIONS, PUT, DELETE",
		Headers: "Content-Type, Authorization, X-Requested-With, databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version",
		Expose:  "X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy",
	}
}

// serve returns the handler for all routes.
func (h *handler) serve() (http.Handler, error) {
	all, err := h.scripts()
	if err != nil {
		return nil, err
	}
	all = append(all, alive())
	for _, rt := range routes() {
		if rt.kind == kindIdentify && h.cfg.Profiles == nil {
			continue
		}
		row := &front.Route{Method: rt.verb(), Path: rt.path, Class: auth.ClassTrack, Anonymous: rt.anonymous, Use: true, Scope: auth.TrackEvents, Cache: "no-store", CORS: servers, Steps: h.steps(rt)}
		if rt.path == pixelPath {
			row.Steps = pixelSteps(h.steps(rt))
		}
		switch rt.access {
		case ByWebsite:
			row.CORS = beacons
		case ByKeyOrWebsite:
			row.Credentials = front.OptionalCredentials
		case ByKey:
			row.Credentials = front.NeedsCredentials
		}
		all = append(all, row)
	}
	return front.New(front.Config{
		Auth: h.cfg.Auth, Limiter: h.cfg.Limiter, Audit: h.cfg.Audit, Refuse: refuse, CORS: beacons, TrimSlash: true, Timeout: timeout,
		Logger: h.cfg.Logger, ClientIP: h.cfg.ClientIP, Now: h.cfg.Now, Observe: h.cfg.Observe,
	}, all), nil
}

// steps returns the steps of rt.
func (h *handler) steps(rt *route) front.Steps[call] {
	begin := func(r *front.Request, c *call) {
		if c.Request == r {
			return // an earlier step has already initialised c
		}
		c.h, c.Request, c.route, c.key, c.now = h, r, rt, r.Key(), r.Now.UTC()
		c.site = c.named()
	}
	return front.Steps[call]{
		Bucket: func(ctx context.Context, r *front.Request, c *call) (string, error) {
			begin(r, c)
			return c.bucket(ctx)
		},
		Allow: func(ctx context.Context, r *front.Request, c *call) error {
			begin(r, c)
			return c.allow(ctx)
		},
		Read:   func(_ context.Context, _ *front.Request, c *call) error { return c.read() },
		Cost:   (*call).cost,
		Answer: func(ctx context.Context, _ *front.Request, c *call) (*front.Answer, error) { return c.answer(ctx) },
	}
}

// newID returns a random UUID of version 4.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
