// Package exporter writes the raw rows of a website, link or monitor to a file:
//
//	export, err := exporter.New(ctx, exporter.Config{Source: events, Subject: store.Subject{Kind: store.KindWebsite, ID: "web_shop"}})
//	if err != nil {
//		return err
//	}
//	report, err := export.Write(ctx, exporter.NDJSON(), exporter.Target{To: file})
//
// [NDJSON] is the form that package importer reads back: after an import into an empty store, every question has the
// same answer. [CSV], and the format of package exporter/parquet, have the rows of one table in a file.
//
// # Order and resuming
//
// Rows are ordered by table, time and event id, and read in pieces of [Config.Rows]: an export of any size needs the
// memory of some pieces. A [Cursor] is a position in this order. An export that failed continues with [Config.After]:
// the rows of both parts are the rows of the whole. Rows that a store receives during an export are part of it if they
// are behind the position.
package exporter
