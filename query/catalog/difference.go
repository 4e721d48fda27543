package catalog

// DifferenceOrder is the order of rows by the difference of two periods.
const DifferenceOrder = "difference"

// Difference returns the column by whose difference between two periods rows of ty may be ordered: the count or sum
// that the type is ordered by, of a choice its first metric. It is empty if rows cannot be ordered so.
func (ty *BoundType) Difference() string {
	chosen := ty.Choice != nil && len(ty.Choice.Fields) > 0
	if !ty.Comparable() || ty.Table == nil || ty.Shape != Breakdown && (ty.Shape != Totals || !chosen) {
		return ""
	}
	column := ""
	switch ty.Table.Rows {
	case FunnelRows, TransitionRows, ChangeRows:
		return ""
	case GoalRows:
		column = "visitors" // behind the goal, which is no metric
	default:
		if len(ty.Steps) > 0 && ty.Steps[0].Desc {
			column = ty.Steps[0].Column
		}
	}
	i := ty.OutputIndex(column)
	if i < 0 || ty.Outputs[i].Role != MetricRole || !ty.Outputs[i].Zero || ty.IsShare(i) {
		return ""
	}
	return column
}
