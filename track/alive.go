package track

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// alivePath tells balancers that the handler answers. It says nothing of what the handler stands on.
const alivePath = "/health"

func alive() *front.Route {
	return &front.Route{
		Method: http.MethodGet, Path: alivePath, Class: auth.ClassHealth, Cache: "no-store", CORS: servers,
		Steps: front.Steps[call]{Answer: func(context.Context, *front.Request, *call) (*front.Answer, error) {
			return front.JSON(answer{Status: "ok"})
		}},
	}
}
