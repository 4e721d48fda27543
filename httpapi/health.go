package httpapi

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// healthRoutes returns the routes about the state of the service.
func (a *api) healthRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodGet, Path: "/health", Class: auth.ClassHealth,
			Steps: steps{Answer: a.reportHealth}},
			about: "Health of the service and its stores", access: Public,
			off: func(cfg *Config) bool { return cfg.Health == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getHealth", Tag: tagHealth, Answer: d.report(),
					Further: map[int]string{503: "Unhealthy"},
					About:   "The status is 503 if the service cannot work without a part that is not available. `clickhouse` stands for the store of events, also for DuckDB. If further parts are not available, `checks` names them, such as `{\"flags\": false}`."}}
			}},
		{Route: front.Route{Method: http.MethodGet, Path: "/health/live", Class: auth.ClassHealth,
			Steps: steps{Answer: a.reportLive}},
			about: "Whether the process responds", access: Public,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getLiveness", Tag: tagHealth, Answer: done()}}
			}},
	}
}

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
