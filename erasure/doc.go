// Package erasure deletes what is stored of one person, and shows it:
//
//	e, err := erasure.New(erasure.Config{Events: events, Profiles: records, Salts: records})
//	err = e.Show(ctx, erasure.Person{Website: "web_shop", Kind: erasure.Profile, ID: "cus_1"}, os.Stdout)
//	report, err := e.Erase(ctx, erasure.Person{Website: "web_shop", Kind: erasure.Profile, ID: "cus_1"})
//	err = e.Purge(ctx) // rewrites the files of the store
//
// A person is named by the id of a visitor or of a profile. Rows and traits of all other persons stay.
//
// # Ids of visitors
//
// Senders' ids of visitors are stored as hashes with a salt that is destroyed at the end of the next UTC day (package
// track). So an id as a browser has it finds the rows of today and yesterday, and rows that were stored with the id
// itself. Rows of earlier days are found by the id that they have. [Report.Notice] says so.
package erasure
