// Package client asks a Sightline service and sends it events:
//
//	c, err := client.New(client.Config{URL: "https://stats.example/api", Key: key})
//	top, err := client.Query[client.PagesRow](ctx, c, client.WebsiteID("web_shop"), client.Question{Preset: client.PresetLast7d, Limit: 10})
//	for _, row := range top.Rows {
//		fmt.Println(row.Path, row.Visitors)
//	}
//
// The type of the rows says what is asked: each query type has one, such as [PagesRow] and [FunnelRow]. [Rows] reads
// all pages of an answer, and [Client.Ask] asks several questions in one request. To read columns that groupBy or your
// own metrics add, embed the row in a struct of your own, or use [QueryAs]:
//
//	type pagesByCountry struct {
//		client.PagesRow
//		Country string `json:"country"`
//		Plan    string `json:"property:plan"`
//	}
//
// A request that fails returns an [*Error] with the code, the mistakes and the id of the request. Requests that the
// service refuses for now, with 429 or 503, are sent again after the time that its Retry-After names.
//
// [Track] sends events and reports what became of each. A [Tracker] collects events and sends them in batches in the
// background; it counts every event that the service did not store. Both give each event an id, so an event that is
// sent twice counts once.
//
// The package uses only the standard library. Names and rows are generated from the OpenAPI document of the version of
// this package. Unknown columns of a newer service are ignored.
package client
