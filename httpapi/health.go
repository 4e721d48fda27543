package httpapi

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/internal/front"
)

// reportHealth answers with the state of the service and its dependencies.
func (a *api) reportHealth(ctx context.Context, _ *front.Request, _ *question) (*front.Answer, error) {
	report := a.cfg.Health.Check(ctx)
	rep, err := front.JSON(report)
	if err == nil && !report.Success {
		rep.Status = http.StatusServiceUnavailable
	}
	return rep, err
}

// reportLive answers as long as the process runs.
func (a *api) reportLive(context.Context, *front.Request, *question) (*front.Answer, error) {
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}
