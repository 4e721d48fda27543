// Package codec encodes partials as bytes that a store keeps, and decodes them in other processes.
//
//	encoded := codec.Encode(memory, day, sets, partials)           // one state per state set, and dictionaries
//	dictionary, err := codec.ReadDictionary(bytes)
//	read, err := codec.Load(memory, set, aggregates, width, states)
//	memory.Put(aggregates, set.KeyNames, read.Of, read.Versions, read.Partials)
//	// days in read.Unread have to be computed again
//
// Partials consist of numbers, which mean nothing outside a process. Stored states have texts of keys, and places of
// members in dictionaries. Bytes that are damaged, or written by another version of this package, are never decoded.
package codec
