package sightline

import (
	"context"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// Config configures [New]. Its first fields are the parts of the service, each given once for all of it. Query, API,
// Track, Trail and Notify are the options of single parts, which contain no part.
type Config struct {
	// Events stores events and answers queries. Required. The host closes it after the service.
	Events store.Store
	// Records stores websites, keys and the salts of visitor ids; a *meta.Store does. Required, unless Directory,
	// Salts, and Keys or Auth are set. The host closes it after the service.
	Records Records

	// Pepper is the secret under which Records or Keys has the digests of keys. The zero Pepper means the one of
	// Records, if that is a [PepperKeeper]. Required, unless Auth and Audit are set.
	Pepper auth.Pepper
	// Prefix is the prefix of secrets. Empty means auth.DefaultPrefix. It must be the one with which keys were created.
	Prefix string
	// Keys finds the API keys of callers. The service asks it at most about once a second for each key. Nil means
	// Records.
	Keys auth.KeyStore
	// Auth finds the callers of requests, in place of Keys.
	Auth auth.Authenticator
	// Directory knows the websites. The service asks it at most about once a second for each. If it is a
	// store.WebsiteManager, keys with the scope manage:websites can change websites over HTTP. Nil means Records.
	Directory store.Directory
	// Flags stores feature flags. Nil means the flags of Records, if that is a [FlagKeeper]; otherwise the
	// routes of flags do not exist.
	Flags flags.Store
	// Limiter limits requests. Nil means ratelimit.New with its defaults; auth.Unlimited disables limits.
	Limiter auth.Limiter
	// Memory bounds the bytes of requests and answers in memory, for API, Tracking and other handlers that share it.
	// Nil means memory.Default.
	Memory *memory.Budget
	// Audit records the uses of keys. Nil means a trail in Records, if that is an [AuditKeeper]. Otherwise it is
	// required: auth.Discard stores no audit trail. If it is an audit.Finder, GET /v1/audit finds entries with it.
	Audit auth.Sink
	// Salts are the secrets of visitor ids. Nil means Records. A store.Maintainer is maintained every hour.
	Salts track.Salts
	// Profiles stores the names and traits of users that /identify receives. Nil means Records, if it can; otherwise
	// the route does not exist.
	Profiles track.Profiles
	// Names gives profiles their names in answers. Nil means Records, if it can; otherwise they have none.
	Names query.Names
	// Usage counts the events of websites with a quota. Nil means a count of Events; track.NoQuotas ignores quotas.
	Usage track.Usage
	// Bus connects the caches of this process with the caches of other processes; a *redisbus.Bus does. The host closes
	// it after the service. Nil means that changes by other processes take effect within a second.
	Bus Bus

	// Proxies are the proxies that name the client's address in X-Forwarded-For. If it is empty, the client is the
	// peer, and no header is trusted.
	Proxies clientip.Proxies
	// Probes are further dependencies of the host in the answer of GET /health, such as health.Cache.
	Probes map[string]health.Probe
	// TrackingPath is the path of Tracking below the path of the API, as clients see it, such as "/ingest". With it,
	// GET /v1/openapi.json also has the routes of Tracking. Empty leaves them out.
	TrackingPath string
	// Warnings are probes of the host that GET /health names while they fail, and that do not affect its status.
	Warnings map[string]health.Probe
	// Version is the version of the host's program in the answer of GET /health.
	Version string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Logger is the log. Nil means no log.
	Logger *slog.Logger

	Query query.EngineOptions // options of the engine, such as Types and ResultCache
	API   httpapi.Options     // options of the API, such as CORSOrigins and Observe
	Track track.Options       // options of tracking, such as Geo and Window
	Trail audit.Options       // options of the audit trail in Records, such as Retention
	// Notify are the options of notices and reports, such as Mail and a Sender of the host. Run sends them if Records
	// are a [store.NoticeStore].
	Notify notify.Options
}

// Records are the records of a service beside its events. [store/meta.Store] implements them in SQLite and PostgreSQL.
//
// [store/meta.Store]: https://pkg.go.dev/github.com/sightline-analytics/sightline/store/meta#Store
type Records interface {
	store.Directory
	auth.KeyStore
	track.Salts
	// Ping returns an error if the records cannot be read.
	Ping(ctx context.Context) error
}

// A Bus carries notifications of changed keys and flags between the processes of a deployment.
type Bus interface {
	auth.Invalidator // notifies all processes of a changed key
	// NotifyKeys makes the Bus notify to of changes of keys by all processes.
	NotifyKeys(to auth.Invalidator)
	flags.Bus
}
