// Package clickhouse keeps rows in ClickHouse and answers from there: the store for
// hosts that outgrow one machine.
//
// [Open] connects by an address, [New] takes a connection of the host's own. Nothing is
// created until [Store.Migrate] is called. Any number of processes may write and read
// at the same time.
//
// # What is kept
//
// The logical tables of package store are MergeTree tables of the same names, ordered
// by subject and time in monthly partitions; [Options.Schema] shows their DDL. Subjects
// are kept by their ids. An event id counts once however often, by whichever process
// and in whatever batches it is sent: see receipt.go for how.
//
// # Rights
//
// A user that only reads needs SELECT on the tables, and a profile with readonly = 2 or
// 0: settings are sent with every query, which readonly = 1 forbids. A user that writes or
// erases needs INSERT and ALTER DELETE, too; one that calls Migrate needs SELECT, INSERT,
// CREATE TABLE, ALTER ADD COLUMN and ALTER TTL, and where the server asks for it TABLE
// ENGINE ON MergeTree. With [Options.Cluster] those who write, erase or migrate need
// CLUSTER, too.
package clickhouse
