package plan

import (
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
)

// Keys are the dimensions whose values follow the columns of a keyed plan's rows. What tells
// rows apart may be shown otherwise, by a name, or not at all.
func (p *Plan) Keys() []*catalog.Field {
	if !p.Keyed {
		return nil
	}
	return p.Type.DimensionFields
}

// keyColumn returns the name of the column of the i-th key.
func keyColumn(i int) expr.Ident { return expr.Ident("key_" + strconv.Itoa(i+1)) }

// KeyOf stands for the values that the rows of an answer have in their i-th key, fields of groupBy
// first. They are known when the answer is.
type KeyOf int
