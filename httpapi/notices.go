package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/store"
)

// mayNotify reports whether the caller has need for the website of r, and reads it: what is sent tells numbers.
func (*api) mayNotify(r *front.Request, need auth.Permission) bool {
	return r.Principal.Allows(need, r.Resource) && r.Principal.Allows(auth.ToRead(), r.Resource)
}

// permitSending checks that the caller may save or remove d, if it is a notice or a report.
func (a *api) permitSending(r *front.Request, d *store.Definition) error {
	if !d.Kind.Sends() {
		return nil
	}
	need, why := auth.ToManageNotices(), allRows+"notices and reports tell numbers of all rows; it must also read the website"
	if notice.OfAllWebsites(d) {
		need, why = auth.ToManageAllNotices(), "needs an API key that reaches everything of its owner, for allWebsites"
	}
	if !a.mayNotify(r, need) {
		return &denied{scope: auth.ManageDefinitions, field: "Authorization", why: why}
	}
	return nil
}

// completeNotice gives the webhooks of a notice their secrets.
func (a *api) completeNotice(ctx context.Context, r *front.Request, d *store.Definition) error {
	if d.Kind != store.NoticeDefinition {
		return nil
	}
	all, err := a.cfg.Definitions.Definitions(ctx, r.Resource.ID)
	if err != nil {
		return err
	}
	return notice.CompleteAmong(d, all)
}
