// Package sightline is the whole service for a host program: the query API, tracking, keys, limits, the audit trail,
// flags and the background work, in one value.
//
//	svc, err := sightline.New(sightline.Config{Events: events, Records: records}) // duckdb.Open and meta.Open
//	mux.Handle("/api/", http.StripPrefix("/api", svc.API()))
//	mux.Handle("/collect/", http.StripPrefix("/collect", svc.Tracking()))
//	go svc.Run(ctx)      // background work, until ctx ends
//	err = svc.Close(ctx) // after the last request, before the stores
//
// The package needs no cgo and imports no database driver. A host opens the stores and closes them.
//
// # Parts
//
// Only the store of events and the store of records are required. Each other part has a default, which a field of
// Config replaces: keys, websites, flags, limits, the audit trail, the clock and the logger. A host that replaces all
// parts of the records needs none.
//
// Config.Query, Config.API, Config.Track and Config.Trail are the options of single parts. No option is a part of the
// service: parts are fields of Config itself, so no two handlers can have different ones.
//
// # Optional abilities
//
// A part may do more than its interface requires. The service finds such abilities by a type assertion on the value
// that the host gave for the part, and works without missing ones:
//
//	Config.Events      store.AllAbilities      lists them, with what is missing without each
//	Config.Records     store.SubjectLister     lists of links and monitors; of Config.Directory, if it is set
//	                   store.DefinitionStore   saved goals, funnels, segments, annotations; of Config.Directory, if that has it
//	                   KeyNotifier             changed keys take effect at once; of Config.Keys, if it is set
//	                   KeyUseRecorder          the last use of each key; of Config.Keys, if it is set
//	                   PepperKeeper            the default of Config.Pepper
//	                   PepperChecker           another pepper is refused by New
//	                   FlagKeeper              the default of Config.Flags
//	                   AuditKeeper             the default of Config.Audit
//	                   track.Profiles          /identify
//	                   query.Names             names of profiles in answers
//	                   store.Maintainer        maintenance every hour
//	Config.Audit       audit.Finder            GET /v1/audit
//	Config.Salts       store.Maintainer        maintenance every hour
//	Config.Auth        auth.Minter             panel tokens
//	                   auth.Screener           protection against guesses
//	Config.Limiter     auth.ConcurrencyLimiter limits of concurrent requests
//	                   auth.GroupLimiter       one call for all buckets of a request
//
// A wrapper that embeds a small interface, such as struct{ store.Store }, loses the abilities of the value in it. New
// logs a warning with the name of each lost ability. A wrapper that embeds the type that Open returned, such as
// struct{ embedded.Store }, keeps them all. Other missing abilities are logged at debug level.
//
// # Life cycle
//
// New starts no background work of the stores; Run does it until its context ends. A program ends in this order: it
// stops accepting requests and waits for the last responses, calls [Service.Close], and closes the records, then the
// events.
package sightline
