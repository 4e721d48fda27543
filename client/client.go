package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Config says where the service is and how to call it. Only URL is required.
type Config struct {
	URL      string // the address of the API, without /v1, such as https://stats.example
	TrackURL string // the address of the tracking host, without /track; required to send events
	// the secret of an API key, or a panel token, also with a line feed from a file; empty: no credentials
	Key  string
	HTTP *http.Client // sends requests; nil means a client with the defaults of net/http

	// Timeout is the longest time of one attempt, with its body; 0 means 30 s.
	Timeout time.Duration
	// Retries is the maximum number of times that a request is sent again; 0 means 4, a negative number means never.
	Retries int
	// MaxWait is the longest wait before an attempt; 0 means 1 minute. If the service asks for a longer wait, its error
	// is returned at once, with RetryAfter.
	MaxWait time.Duration
	// Now returns the time, for events without one; nil means time.Now.
	Now func() time.Time
}

// A Client calls one service. It is safe for concurrent use.
type Client struct {
	cfg        Config
	api, track string // without a slash at the end
}

// ErrConfig is wrapped by errors about a [Config] or a [TrackerConfig].
var ErrConfig = errors.New("client: the configuration is not valid")

// New returns a Client. It does not connect. Errors wrap [ErrConfig].
func New(cfg Config) (*Client, error) {
	api, apiErr := address("URL", cfg.URL)
	var track string
	var trackErr error
	if cfg.TrackURL != "" {
		track, trackErr = address("TrackURL", cfg.TrackURL)
	}
	var boundErr error
	if cfg.Timeout < 0 || cfg.MaxWait < 0 {
		boundErr = fmt.Errorf("%w: Timeout and MaxWait must not be negative", ErrConfig)
	}
	if err := errors.Join(apiErr, trackErr, boundErr); err != nil {
		return nil, err
	}
	cfg.Key = strings.TrimSpace(cfg.Key)
	cfg.HTTP = cmp.Or(cfg.HTTP, &http.Client{})
	cfg.Timeout = cmp.Or(cfg.Timeout, 30*time.Second)
	cfg.MaxWait = cmp.Or(cfg.MaxWait, time.Minute)
	cfg.Retries = cmp.Or(cfg.Retries, 4)
	return &Client{cfg: cfg, api: api, track: track}, nil
}

// address checks a URL and returns it without a slash at the end. Text may contain a password, so errors do not show
// it.
func address(field, text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%w: %s must be an http or https URL without a query", ErrConfig, field)
	}
	return strings.TrimRight(text, "/"), nil
}

// String returns the address of the API. It does not show the key.
func (c *Client) String() string { return "client of " + c.api }

// GoString returns the same as String, so that %#v does not show the key.
func (c *Client) GoString() string { return c.String() }

func (c *Client) now() time.Time {
	if c.cfg.Now == nil {
		return time.Now()
	}
	return c.cfg.Now()
}

// A Subject names the website, link or monitor of a question. It is a [WebsiteID], a [LinkID] or a [MonitorID], such as
// WebsiteID("web_shop"), or a [Resource], whose kind is a text. [WebsiteIDs] are several websites.
type Subject interface {
	// address returns the parameter of a URL that names the subject.
	address() (name, id string, err error)
}

// The kinds of subjects.
type (
	WebsiteID string
	LinkID    string
	MonitorID string
)

// WebsiteIDs are 1 to 100 websites of one question, or "*" alone for every website that the key may read. Rows of types
// by session, visitor or event then have the columns website and website_name, which [QueryAs] reads.
type WebsiteIDs []WebsiteID

func (ids WebsiteIDs) address() (name, value string, err error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return "website_ids", strings.Join(texts, ","), nil
}

func (id WebsiteID) address() (name, value string, err error) { return "website_id", string(id), nil }
func (id LinkID) address() (name, value string, err error)    { return "link_id", string(id), nil }
func (id MonitorID) address() (name, value string, err error) { return "schedule_id", string(id), nil }

func (r Resource) address() (name, value string, err error) {
	switch r.Kind {
	case "website", "link", "schedule":
		return r.Kind + "_id", r.ID, nil
	default:
		return "", "", fmt.Errorf("client: Kind must be website, link or schedule, not %q", r.Kind)
	}
}

// A Website is one that the key may read.
type Website struct {
	ID        WebsiteID `json:"id"`
	Name      string    `json:"name"`
	Domain    string    `json:"domain"`
	IsPublic  bool      `json:"isPublic"`
	CreatedAt time.Time `json:"createdAt"`
}

// A ShortLink is a link whose clicks are counted.
type ShortLink struct {
	ID        LinkID    `json:"id"`
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	TargetURL string    `json:"targetUrl"`
	CreatedAt time.Time `json:"createdAt"`
}

// A Monitor checks whether a URL answers.
type Monitor struct {
	ID        MonitorID `json:"id"`
	Name      string    `json:"name"`
	URL       string    `json:"url"`
	WebsiteID WebsiteID `json:"websiteId"` // empty: of no website
	CreatedAt time.Time `json:"createdAt"`
}

// Websites lists the websites that the key may read.
func (c *Client) Websites(ctx context.Context) ([]Website, error) {
	type answer struct {
		Websites []Website
		Next     *string
	}
	return pages(ctx, c, "/v1/query/websites",
		func(body *answer) ([]Website, *string) { return body.Websites, body.Next })
}

// Links lists the links that the key may read.
func (c *Client) Links(ctx context.Context) ([]ShortLink, error) {
	type answer struct {
		Links []ShortLink
		Next  *string
	}
	return pages(ctx, c, "/v1/query/links", func(body *answer) ([]ShortLink, *string) { return body.Links, body.Next })
}

// Monitors lists the monitors that the key may read.
func (c *Client) Monitors(ctx context.Context) ([]Monitor, error) {
	type answer struct {
		Monitors []Monitor
		Next     *string
	}
	return pages(ctx, c, "/v1/query/monitors",
		func(body *answer) ([]Monitor, *string) { return body.Monitors, body.Next })
}
