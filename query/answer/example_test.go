package answer_test

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/sightline-analytics/sightline/query/answer"
)

// A program that asks over HTTP reads the body as a Response. Rows and times come from it as from an answer of an
// engine.
func ExampleTable_Time() {
	body := []byte(`{"success":true,"data":[{"parameter":"summary","success":true,"data":[{"date":"2026-03-29","visitors":7},{"date":"2026-03-30","visitors":9}],
		"meta":{"from":"2026-03-28T23:00:00.000Z","to":"2026-03-30T22:00:00.000Z","timezone":"Europe/Berlin","granularity":"daily","limit":null,"rows":2,"hasMore":false}}],
		"meta":{"parameters":["summary"],"total_parameters":1,"page":1,"limit":100,"filters_applied":0,"startDate":"2026-03-29","endDate":"2026-03-30","timezone":"Europe/Berlin","granularity":"daily"}}`)
	var response answer.Response
	if err := json.Unmarshal(body, &response); err != nil {
		log.Fatal(err)
	}
	table := response.Data[0].Data
	days, err := answer.Rows[struct {
		Visitors int `json:"visitors"`
	}](table)
	if err != nil {
		log.Fatal(err)
	}
	for row, day := range days {
		at, err := table.Time(row, "date")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(at.Format(time.RFC3339), day.Visitors) // clocks go forward between the two midnights
	}
	// Output:
	// 2026-03-29T00:00:00+01:00 7
	// 2026-03-30T00:00:00+02:00 9
}
