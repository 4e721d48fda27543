package track

import (
	"context"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
)

// timeout limits a request, except for the write of its rows. The write has its own writeTimeout and continues if the
// sender hangs up.
const timeout = 30 * time.Second

// handler is safe for concurrent use.
type handler struct {
	cfg        Config
	userAgents *intake.Agents
	places     locator
	blocked    *blockedCounter
	usage      *usageCache
	names      *nameCounter
}

// Pages of any origin may send events. Beacons are always sent with credentials, for which browsers require the origin
// itself instead of an asterisk. Routes with keys allow no credentials, since they could otherwise be used with the
// cookie of a host's session.
var (
	beacons = cors(true)
	servers = cors(false)
)

func cors(credentials bool) *front.CORS {
	return &front.CORS{
		Any: true, Credentials: credentials, MaxAge: 24 * time.Hour,
		Methods: "POST, GET, OPTIONS, PUT, DELETE",
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
		row := &front.Route{Method: rt.verb(), Path: rt.path, Class: auth.ClassTrack, Anonymous: rt.anonymous,
			Use: true, Scope: auth.TrackEvents, Cache: "no-store", CORS: servers, Steps: h.steps(rt)}
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
		Auth: h.cfg.Auth, Limiter: h.cfg.Limiter, Audit: h.cfg.Audit, Memory: h.cfg.Memory, Refuse: refuse,
		CORS:      beacons,
		TrimSlash: true,
		Timeout:   timeout,
		Logger:    h.cfg.Logger, Proxies: h.cfg.Proxies, ProxyHeader: h.cfg.CountryHeader, Now: h.cfg.Now,
		Observe: h.cfg.Observe,
	}, all), nil
}

// steps returns the steps of rt.
func (h *handler) steps(rt *route) front.Steps[call] {
	return front.Steps[call]{
		Bucket: func(ctx context.Context, r *front.Request, c *call) (string, error) {
			h.begin(rt, r, c)
			return c.gate.bucket(ctx)
		},
		Allow: func(ctx context.Context, r *front.Request, c *call) error {
			h.begin(rt, r, c)
			return c.gate.allow(ctx)
		},
		Read: func(_ context.Context, r *front.Request, c *call) (err error) {
			c.body, err = rt.body.read(r, h.cfg.MaxBody, c.reader.keyed)
			return err
		},
		Cost:   func(c *call) int { return c.body.cost() },
		Answer: func(ctx context.Context, r *front.Request, c *call) (*front.Answer, error) { return c.answer(ctx, r) },
	}
}
