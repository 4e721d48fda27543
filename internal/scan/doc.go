// Package scan reads the rows of a website, link or monitor in pieces, in the order of their times and ids:
//
//	counts, err := scan.Counts(ctx, events, table, scan.Day(subject, day))
//	pieces, err := scan.Cut(ctx, events, table, scan.Day(subject, day), 20_000)
//	rows, err := scan.Read(ctx, events, table, table.Columns, pieces[0])
//	table.Put(&batch, subject.ID, rows, 0)
//
// It queries a store in its dialect, by logical tables and columns, so any store will do.
package scan
