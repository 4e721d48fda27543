package finish

import (
	"fmt"
	"math"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// checkBounds fails if a number is beyond the bound of its column.
func checkBounds(p *plan.Plan, rows *store.Rows) *ask.Error {
	for i, col := range p.Columns() {
		c := &rows.Columns[i]
		if col.Most == 0 || c.Kind != dialect.Float {
			continue
		}
		for row := range rows.Len {
			if !c.Null(row) && math.Abs(c.Floats[row]) > col.Most {
				return &ask.Error{Code: ask.TooLarge, Message: fmt.Sprintf("%s is beyond %g, the largest sum; "+
					"ask for a shorter range, or filter to fewer rows", col.Name, col.Most)}
			}
		}
	}
	return nil
}
