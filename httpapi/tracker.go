package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/front"
)

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
