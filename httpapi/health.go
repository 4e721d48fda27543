package httpapi

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/internal/front"
)

// reportHealth answers the state of the service and of what it stands on.
func (a *api) reportHealth(ctx context.Context, _ *front.Request, _ *question) (*front.Answer, error) {
	report := a.cfg.Health.Check(ctx)
	rep, err := front.JSON(report)
	if err == nil && !report.Success {
		rep.Status = http.StatusServiceUnavailable
	}
	return rep, err
}

// reportLive answers; that is all it says.
func (a *api) reportLive(context.Context, *front.Request, *question) (*front.Answer, error) {
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}
