// Package transfer copies rows from one store to another, and verifies that both hold the same.
//
// [Copy] compares what the stores hold of every website, link and monitor by table and UTC day, copies
// what the target lacks, and compares again. It keeps no state beside the stores: their rows show its
// progress. So it may be ended or killed at any time and called again; days that are equal are not read
// a second time. That the target accepted rows is not taken as proof: the last comparison is. Queries
// of the target must see restored rows at once.
//
// Days are compared by their number of rows and by a digest of 64 bits over all columns
// of all rows, which both databases compute and which does not depend on order. [Verify]
// does that alone. Two days that differ have equal digests with a chance of one in 2⁶⁴, unless somebody
// who can break MD5 made them so.
//
// Both sides are queried in their own dialect, by logical tables and columns; any [Source] and [Target]
// will do. Rows of the target that the source lacks are reported, not removed, and so are rows whose
// contents differ. The target's websites, links and monitors that the source does not have are ignored.
//
// The source may be written to meanwhile. Rows that arrive after their day was read are copied by the
// next call; [Options.Before] leaves out days that still change.
package transfer
