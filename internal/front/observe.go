package front

import (
	"context"
	"log/slog"

	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// observe reports the request r and its response a to the host and to the log.
func (f *Front) observe(ctx context.Context, r *Request, a *Answer) {
	logged := f.cfg.Logger.Enabled(ctx, slog.LevelDebug)
	if f.cfg.Observe == nil && !logged {
		return
	}
	m := store.MeterOf(ctx)
	o := observe.Request{
		Class: r.class, Status: a.sent(r.Request), Code: a.code,
		Duration: f.cfg.Now().Sub(r.Now), Rows: m.Rows(), Store: m.Time(),
	}
	if r.Route != nil {
		o.Route, o.Class = r.Route.Method+" "+r.Route.Path, r.limitClass()
	}
	if logged {
		key := ""
		if k := r.Key(); k != nil {
			key = k.ID
		}
		f.cfg.Logger.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("requestId", r.ID), slog.String("key", key),
			slog.String("route", o.Route), slog.Int("status", o.Status), slog.String("code", o.Code),
			slog.Duration("duration", o.Duration))
	}
	if f.cfg.Observe != nil {
		f.cfg.Observe(ctx, o)
	}
}
