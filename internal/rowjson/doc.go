// Package rowjson writes rows as lines of JSON, and reads them back:
//
//	for item := range batch.Events {
//		text = rowjson.Append(text, schema.Events, schema.Row{Batch: &batch, Item: item})
//	}
//	err := rowjson.Decode(line, &copied) // for each line: appends the same item
//
// This is the newline-delimited JSON of exports and imports. A line has one item of a [store.Batch], and all columns of
// package store/schema that the item needs: decoding what Append wrote gives an equal item, with its time in whole
// milliseconds.
//
// A line is an object with these members:
//
//   - table: events, errors, vitals, spans, visits, checks or blocked;
//   - website, link or schedule: the id of the subject that the row belongs to;
//   - every column of the table by its name, except derived columns. An absent member means an empty text, the number 0, or null
//     for a measure. event_id and time are required;
//   - samples, for vitals only: a list of objects with metric_name and value.
//
// Values have these forms: texts are strings; time is an instant in UTC such as 2026-11-21T10:00:00.000Z; other numbers
// are whole numbers, and conditions such as keyed are 1 or 0; properties is the JSON object itself, or a string if it
// is not valid compact JSON.
//
// Exports end with the profiles of a website, which are no rows: [AppendProfile] writes their lines and [DecodeProfile]
// reads them. These lines have the table profiles and the members website, profile_id, name, traits, keyed and
// changed_at.
package rowjson
