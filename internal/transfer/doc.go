// Package transfer copies rows from one store to another, and verifies that both have the same rows:
//
//	report, err := transfer.Copy(ctx, duck, click, transfer.Options{Before: today})
//	if err != nil {
//		return err // Copy can be called again: it continues
//	}
//	fmt.Println(report.Copied, report.Differences)
//
// [Copy] compares the rows of every website, link and monitor by table and UTC day, copies the rows that the
// target lacks, and compares again. It stores no progress besides the copied rows. So it can be stopped or
// killed at any time and called again; it does not read equal days twice. Copy does not trust the target's
// acknowledgements: only the last comparison decides. The target's queries must see restored rows at once.
//
// Two days are equal if they have the same number of rows and the same digest: 64 bits over all columns of all
// rows, independent of their order. Both databases compute it. Different days have equal digests with a
// probability of one in 2⁶⁴, unless somebody who can break MD5 made the rows. [Verify] only compares.
//
// Both stores are queried in their dialects, by logical tables and columns, so any [Source] and [Target] will
// do. Rows of the target that the source lacks, and rows with different contents, are reported but not changed.
// Websites, links and monitors that only the target has are ignored.
//
// The source may receive rows during a copy. Rows that arrive after their day was read are copied by the next
// call. [Options.Before] excludes days that still change. With [Options.Known], further calls compare only days that
// changed since. So the last call, after the source has stopped receiving rows, takes little time.
package transfer
