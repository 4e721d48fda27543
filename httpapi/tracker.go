package httpapi

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// trackerRoutes returns the route that says where the tracker is.
func (a *api) trackerRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/tracker", Class: auth.ClassPublic,
			Steps: steps{Answer: a.showTracker}},
			about: "Where pages load the tracker", access: Public,
			off: func(cfg *Config) bool { return cfg.Tracker == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getTrackerAddress", Tag: tagWebsites,
					NotModified: true,
					Answer:      openapi.Of[trackerBody](d.reflect),
					About:       "The script element of a page has `data-client-id`, and as `src` the `address` followed by `script`, or by `pinned` with the attribute `integrity`. If `address` is a path, it is below the address of this API."}}
			}},
	}
}

// A Tracker says where pages load the script that sends events.
type Tracker struct {
	Address   string `json:"address"`   // of tracking: a URL, or a path below the address of the API
	Script    string `json:"script"`    // the path of the newest script, below Address
	Pinned    string `json:"pinned"`    // the path of the script of this version, below Address
	Integrity string `json:"integrity"` // of the pinned script, for the attribute of its element
}

// trackerBody is the response with the place of the script.
type trackerBody struct {
	Success bool    `json:"success"`
	Tracker Tracker `json:"tracker"`
}

// showTracker answers with the place of the script.
func (a *api) showTracker(context.Context, *front.Request, *question) (*front.Answer, error) {
	return tagged(trackerBody{true, *a.cfg.Tracker})
}
