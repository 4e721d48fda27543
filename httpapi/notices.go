package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/store"
)

const noticesPath = "/v1/websites/{website_id}/notices"

// noticeRoutes returns the routes of what notices and reports send.
func (a *api) noticeRoutes() []*route {
	type steps = front.Steps[noticeQuestion]
	off := func(cfg *Config) bool { return cfg.Notices == nil }
	return []*route{
		{Route: front.Route{Method: http.MethodGet, Path: noticesPath, Class: auth.ClassOther,
			May:   auth.ToManageNotices(),
			Steps: steps{Allow: a.allowNotices, Read: a.readNoticeLimit, Answer: a.listDeliveries}},
			about: "List the last messages of notices and reports", of: oneWebsite, off: off,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listDeliveries", Tag: tagDefinitions,
					NotModified: true,
					Params: []openapi.Param{websiteParam(), openapi.Query("limit",
						openapi.Whole("How many messages; default 100", 1, maxDeliveries))},
					About: "The newest first, with their tries and the error of the last one. Targets are shown without secrets. The server keeps the last 100 messages of a notice to a target, and all that it still tries.",
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("deliveries", openapi.List("", openapi.Of[deliveryRecord](d.reflect), 0, 0))).
						Needs("success", "deliveries")}}
			}},
		{Route: front.Route{Method: http.MethodPost, Path: noticesPath, Class: auth.ClassOther,
			May:   auth.ToManageNotices(),
			Steps: steps{Allow: a.allowNotices, Read: a.readNoticeName, Answer: a.tryNotice}},
			about: "Send a test message of a notice or report", of: oneWebsite, off: off, body: true, stores: "messages",
			describe: func(*describer) described {
				return described{Operation: openapi.Operation{ID: "testNotice", Tag: tagDefinitions,
					Params: []openapi.Param{websiteParam()}, Body: noticeNames.Schema("Which one").Needs("name"),
					About:  "The message goes to all targets, like every other one: the list of messages shows whether it arrived.",
					Answer: done()}, errors: []code{codeNotFound}}
			}},
		a.endRoute(http.MethodGet, "Ask whether mail should end", "askToEndMail", a.askToEnd),
		a.endRoute(http.MethodPost, "End mail with one click", "endMail", a.endMail),
	}
}

// endRoute returns a route of the links that end mail.
func (a *api) endRoute(method, about, id string,
	answer func(context.Context, *front.Request, *noticeQuestion) (*front.Answer, error)) *route {
	return &route{Route: front.Route{Method: method, Path: notify.EndPath, Class: auth.ClassPublic,
		Steps: front.Steps[noticeQuestion]{Read: a.readEnd, Answer: answer}},
		about: about, access: Public, off: func(cfg *Config) bool { return cfg.Notices == nil },
		stores: changes(method, "ends of mail"),
		describe: func(*describer) described {
			return described{Operation: openapi.Operation{ID: id, Tag: tagDefinitions,
				Params: []openapi.Param{openapi.Query("token", openapi.Text("From the mail")).Must()},
				About:  "The address stands in the mail, in its text and in the header List-Unsubscribe of RFC 8058. The answer is a page for people, which says whether the link was complete. Only POST ends the mail, since programs that look at links send GET.",
				Forms:  map[string]*openapi.Schema{"text/html": openapi.Text("")}}}
		}}
}

// maxDeliveries is the most messages of a list.
const maxDeliveries = 1000

// A noticeQuestion is a decoded request about notices.
type noticeQuestion struct {
	limit int
	which noticeName
	token string
}

// A noticeName names a notice or report of a website.
type noticeName struct {
	Kind store.DefinitionKind
	Name string
}

var noticeNames = body.Of(
	body.Member("kind", func(n *noticeName) *store.DefinitionKind { return &n.Kind }).
		Shaped(openapi.OneOf("Default `notice`", store.NoticeDefinition, store.ReportDefinition)),
	body.Text("name", func(n *noticeName) *string { return &n.Name }).Shaped(definitionName("")),
)

// whyNotices says what a key needs that sees or saves notices.
const whyNotices = allRows + "notices and reports tell numbers of all rows; it must also read the website"

// allowNotices checks that the key may see what notices of the website in the path send.
func (a *api) allowNotices(ctx context.Context, r *front.Request, _ *noticeQuestion) error {
	r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: r.Segment}
	if err := a.permitOn(ctx, r, r.Route.May, whyNotices); err != nil {
		return err
	}
	if !r.Principal.Allows(auth.ToRead(), r.Resource) {
		return &denied{scope: r.Scope, field: "Authorization", why: whyNotices}
	}
	return nil
}

func (a *api) readNoticeLimit(_ context.Context, r *front.Request, q *noticeQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.limit = 100
	bad := append(unknown(values, "limit"), readLimit(values, &q.limit, maxDeliveries)...)
	return bad.Err()
}

// deliveryRecord is a message in responses.
type deliveryRecord struct {
	ID      string               `json:"id"`
	Kind    store.DefinitionKind `json:"kind"`
	Name    string               `json:"name"`
	To      string               `json:"to"`
	Status  store.DeliveryStatus `json:"status"`
	Tries   int64                `json:"tries"`
	Error   string               `json:"error,omitempty"` // of the last try
	Created health.Time          `json:"createdAt"`
	Tried   *health.Time         `json:"triedAt"` // null: not yet
	Next    *health.Time         `json:"nextAt"`  // of the next try; null: there is none
}

func (a *api) listDeliveries(ctx context.Context, r *front.Request, q *noticeQuestion) (*front.Answer, error) {
	all, err := a.cfg.Notices.Deliveries(ctx, r.Resource.ID, q.limit)
	if err != nil {
		return nil, err
	}
	list := struct {
		Success    bool             `json:"success"`
		Deliveries []deliveryRecord `json:"deliveries"`
	}{true, []deliveryRecord{}}
	for _, d := range all {
		one := deliveryRecord{ID: d.ID, Kind: d.Kind, Name: d.Name, To: d.Shown, Status: d.Status, Tries: d.Tries,
			Error: d.Fault, Created: health.Time{Time: d.Created}}
		if !d.Tried.IsZero() {
			one.Tried = &health.Time{Time: d.Tried}
		}
		if d.Status == store.DeliveryPending {
			one.Next = &health.Time{Time: d.Due}
		}
		list.Deliveries = append(list.Deliveries, one)
	}
	return tagged(list)
}

func (a *api) readNoticeName(_ context.Context, r *front.Request, q *noticeQuestion) error {
	patch, bad, err := readFields(a, r, noticeNames)
	if err != nil {
		return err
	}
	q.which = patch.New()
	if !patch.Gives("kind") {
		q.which.Kind = store.NoticeDefinition
	}
	if kinds := []store.DefinitionKind{store.NoticeDefinition, store.ReportDefinition}; !slices.Contains(kinds,
		q.which.Kind) && !slices.ContainsFunc(bad, func(e mistake.FieldError) bool { return e.Field == "kind" }) {
		bad.Add("kind", mistake.OneOf(q.which.Kind, kinds...))
	}
	if !patch.Gives("name") {
		bad.Add("name", mistake.Required)
	}
	return bad.Err()
}

func (a *api) tryNotice(ctx context.Context, r *front.Request, q *noticeQuestion) (*front.Answer, error) {
	key := store.NoticeKey{Website: r.Resource.ID, Kind: q.which.Kind, Name: q.which.Name}
	if err := a.cfg.Notices.Try(ctx, key); err != nil {
		return nil, err
	}
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}

// readEnd reads the token of a link that ends mail.
func (a *api) readEnd(_ context.Context, r *front.Request, q *noticeQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	q.token = values.Get("token")
	return nil
}

// askToEnd answers with a page that asks: programs that look at links must not end mail.
func (a *api) askToEnd(context.Context, *front.Request, *noticeQuestion) (*front.Answer, error) {
	return endPage(`<p>Do you want to get no more of this mail?</p>` +
		`<form method="post"><button type="submit">No more of this mail</button></form>`), nil
}

func (a *api) endMail(ctx context.Context, _ *front.Request, q *noticeQuestion) (*front.Answer, error) {
	err := a.cfg.Notices.End(ctx, q.token)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return endPage("<p>The link is not complete, or what sent the mail was removed.</p>"), nil
	case err != nil:
		return nil, err
	}
	return endPage("<p>You get no more of this mail.</p>"), nil
}

// endPage returns a page of plain HTML, which loads nothing.
func endPage(inside string) *front.Answer {
	page := `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex">` +
		`<title>Mail</title></head><body>` + inside + "</body></html>\n"
	return &front.Answer{Status: http.StatusOK, Type: "text/html; charset=utf-8", Text: true, Body: []byte(page),
		Header: http.Header{"Content-Security-Policy": {"default-src 'none'; form-action 'self'; frame-ancestors 'none'"},
			"Referrer-Policy": {"no-referrer"}}}
}

// mayNotify reports whether the caller has need for the website of r, and reads it: what is sent tells numbers.
func (*api) mayNotify(r *front.Request, need auth.Permission) bool {
	return r.Principal.Allows(need, r.Resource) && r.Principal.Allows(auth.ToRead(), r.Resource)
}

// permitSending checks that the caller may save or remove d, if it is a notice or a report.
func (a *api) permitSending(r *front.Request, d *store.Definition) error {
	if !d.Kind.Sends() {
		return nil
	}
	need, why := auth.ToManageNotices(), whyNotices
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
