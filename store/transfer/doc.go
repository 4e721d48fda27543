// Package transfer carries rows from one store to another, and proves that both hold
// the same.
//
// [Copy] compares what the stores hold of every website, link and monitor by table and
// UTC day, carries over what the target lacks, and compares again. Nothing is kept
// beside the stores: what is there says how far it came. So it may be ended or killed
// at any moment and called again; days that are equal are not read a second time. That
// the target took rows without an error is not taken for their being there either: the
// last comparison says so. It relies on queries of the target that see what was restored.
//
// Days are compared by their number of rows and by a digest of 64 bits over all columns
// of all rows, which both databases compute and which does not depend on order. [Verify]
// does that alone. Two days that differ have equal digests with a chance of one in 2⁶⁴,
// unless somebody who can break MD5 means them to.
//
// Both sides are asked in their own dialect, by logical tables and columns; any store
// that is a [Source] or a [Target] will do. Rows of the target that the source lacks
// are reported, not removed, and so are rows whose contents differ. Of websites, links
// and monitors that the source does not know, the target may hold anything.
//
// The source may be written to meanwhile. What arrives after a day was read is carried
// over by the next call; [Options.Before] leaves out days that still change.
package transfer
