package track

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// alivePath serves load balancers. It only shows that the handler responds, and does not check the stores.
const alivePath = "/health"

func alive() *front.Route {
	return &front.Route{
		Method: http.MethodGet, Path: alivePath, Class: auth.ClassHealth, Cache: "no-store", CORS: servers,
		Steps: front.Steps[call]{Answer: func(context.Context, *front.Request, *call) (*front.Answer, error) {
			return front.JSON(answer{Status: "ok"})
		}},
	}
}
