// Package memory holds the partials of all subjects in memory, bounded in bytes.
//
//	cache := memory.NewCache(256 << 20)
//	partials := cache.Of(website)
//	found, missing := partials.Find(aggregate, days, versions)   // missing ones are computed
//	made, err := partials.Add(computed)
//	visitors := cache.Counts(rows, partials.Members(state.Set, "visitors"), sources)
//
// A [Cache] drops what was not used for longest. Questions that are asked by turns do not push out each other's
// partials again and again: [Admission] decides which aggregates get room. [Partials] also numbers the keys and members
// of its subject. [Stored] has the versions of its stored states, [Dictionaries] what is needed to read them, and
// [Rollups] one partial in place of the partials of a month.
package memory
