// Package meta keeps what must outlive a restart and is no event: websites, links,
// monitors, API keys and the salts of visitor ids. It is a [store.Directory] and an
// [auth.KeyStore], on SQLite without cgo.
//
// # The file
//
// One SQLite file in write-ahead mode, made with mode 0600. Several processes may hold
// it open. What a method reported as done is on disk. A file of a newer program, of
// another program, or that is damaged, is refused by [Open] before anything is written
// to it; one of an older program is brought forward.
//
// # Secrets
//
// The file holds HMACs of the keys' secrets. The pepper they are made with lies
// elsewhere, so that a stolen file opens nothing.
//
// # Salts
//
// Visitor ids are salted by UTC day. The salts of today and yesterday are here; older
// ones are overwritten, after which nobody can tie a visitor to the ids of that day.
package meta
