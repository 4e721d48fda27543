// Package importer stores events that other programs recorded: access logs, exports of other analytics, and tables
// of a host.
//
//	sources, err := importer.Files("/var/log/nginx/access.log*")
//	report, err := importer.Run(ctx, importer.Config{
//		Target: events, Website: shop, Pepper: pepper, Progress: "import-shop.json",
//	}, sources)
//	fmt.Println(report.Taken, report.Skipped)
//
// [Formats] lists the formats of files. A file may be compressed by gzip, zstd, bzip2 or xz. A host that has events in
// its own table gives them as a sequence of [Record] values: see [Source.Records].
//
// # What counts
//
// A line of an access log is a pageview if it is a GET request with status 200 to 299 or 304 for a page: not for an
// image, script, style or other asset, by its content type or the extension of its path. Robots and programs do not
// count, as in package track, nor do requests without a user agent. Paths, referrers, campaigns, browsers and
// countries follow the rules of package track.
//
// # Visitors
//
// An address is never stored. A visitor id is an HMAC of address, user agent and website, with a secret of the UTC
// day; these secrets are derived from one secret. At the end of the import it is deleted, or with [Config.Salts]
// hidden so that it can be read until the end of the next day. Requests of one address and user agent belong to one
// session until there is none for 30 minutes, whatever source they stand in: sources are read together, in the
// order of time. Ids in exports of other analytics are replaced by an HMAC with [Config.Pepper] and the website.
//
// # Resuming
//
// With [Config.Progress], an import that was stopped or killed continues: call Run again with the same sources. It
// reads what was imported again, to know the sessions, and stores the rest; each row is stored once. A source is
// recognised by all of its content that was read, whatever its name or compression is. A source that was imported
// to its end is not imported again, and a file that has grown since continues where it ended.
package importer
