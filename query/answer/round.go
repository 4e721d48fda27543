package answer

import (
	"math"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
)

// RoundRows rounds to two decimals where only rows of another dimension need more.
func (t *Table) RoundRows(ty *catalog.BoundType) {
	for i := range t.columns {
		if c := &t.columns[i]; c.PreciseFor != "" {
			t.roundOthers(c, ty.DimensionOutput())
		}
	}
}

// roundOthers rounds to two decimals the values of c in rows whose dimension, in the column
// called by, is not the one that needs more.
func (t *Table) roundOthers(c *Cells, by string) {
	of := t.Column(by)
	c.Floats = slices.Clone(c.Floats)
	for row := range t.len {
		if of == nil || of.Text(row) != c.PreciseFor {
			c.Floats[row] = round(c.Floats[row], 2)
		}
	}
}

// tens are the powers of ten, by the decimals that appendNear knows.
var tens = [...]float64{1, 10, 100, 1_000, 10_000}

// appendNear is appendRounded where x is so far from the middle of two results that its shortest
// decimal, which need not be made then, is on the same side of it: the decimal and x, and x times a power of
// ten and the double for that, are less than 2^-22 apart in the last place that is shown.
func appendNear(b []byte, x float64, decimals int) (_ []byte, ok bool) {
	const large, tie = 1 << 30, 1e-6
	if decimals < 0 || decimals >= len(tens) {
		return b, false
	}
	scaled := math.Abs(x) * tens[decimals]
	whole := math.Floor(scaled)
	behind := scaled - whole
	if !(scaled < large) || math.Abs(behind-0.5) < tie { // also what is no number
		return b, false
	}
	n, unit := uint64(whole), uint64(tens[decimals])
	if behind > 0.5 {
		n++
	}
	if x < 0 && n > 0 {
		b = append(b, '-')
	}
	b = strconv.AppendUint(b, n/unit, 10)
	if n %= unit; n == 0 {
		return b, true
	}
	for ; n%10 == 0; n /= 10 { // no zeros at the end
		decimals--
	}
	b = append(b, ".0000"[:1+decimals]...)
	for last := len(b) - 1; n > 0; last, n = last-1, n/10 {
		b[last] = '0' + byte(n%10)
	}
	return b, true
}
