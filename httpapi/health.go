package httpapi

import (
	"context"
	"net/http"
)

// reportHealth answers the state of the service and of what it stands on.
func reportHealth(a *api, ctx context.Context, _ *call) (*reply, error) {
	report := a.cfg.Health.Check(ctx)
	rep, err := encode(report)
	if err == nil && !report.Success {
		rep.status = http.StatusServiceUnavailable
	}
	return rep, err
}

// reportLive answers; that is all it says.
func reportLive(*api, context.Context, *call) (*reply, error) {
	return encode(struct {
		Success bool `json:"success"`
	}{true})
}
