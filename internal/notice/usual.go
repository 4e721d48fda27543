package notice

import (
	"math"
	"slices"
	"time"
)

// UsualWeeks is the number of weeks whose same hours say what is usual.
const UsualWeeks = 8

// leastWeeks is the number of weeks that say what is usual at least.
const leastWeeks = 4

// The width of the usual range, in interquartile ranges. Of eight numbers around a fixed mean the interquartile range
// varies much, so it is never taken to be less than quartiles standard deviations of what varies anyway: leastShare of
// the median, since days differ, and of a count also what independent visits vary by.
const (
	widthOfRange = 3.5
	quartiles    = 1.35 // standard deviations, as the interquartile range of a normal distribution is
	leastShare   = 0.1
)

// A Usual is the range of numbers that are usual.
type Usual struct{ Median, Low, High float64 }

// UsualOf returns what is usual after values: their median, less and more a multiple of their interquartile range.
// It reports false for fewer than 4 values. Large counts vary by more than small ones, and upwards by more than
// downwards: so the range of a count is computed of twice the square roots, which vary by 1 for independent visits
// (Anscombe's transformation).
func UsualOf(values []float64, counts bool) (Usual, bool) {
	if len(values) < leastWeeks {
		return Usual{}, false
	}
	sorted := slices.Sorted(slices.Values(values))
	median := quantile(sorted, 0.5)
	least := math.Abs(median) * leastShare
	if counts {
		for i, n := range sorted {
			sorted[i] = 2 * math.Sqrt(max(n, 0)+anscombe)
		}
		least = max(1, math.Sqrt(max(median, 0))*leastShare)
	}
	middle := quantile(sorted, 0.5)
	spread := widthOfRange * max(quantile(sorted, 0.75)-quantile(sorted, 0.25), quartiles*least)
	u := Usual{Median: median, Low: middle - spread, High: middle + spread}
	if counts {
		u.Low, u.High = max(0, squared(u.Low)), squared(u.High)
	}
	return u, true
}

const anscombe = 3.0 / 8

// squared returns the count of twice a square root.
func squared(root float64) float64 {
	root = max(root, 0) / 2
	return root*root - anscombe
}

// quantile returns a quantile of sorted numbers, between two of them in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Known returns the values of the weeks in which a website existed. values are those of the weeks before, the newest
// first, and starts are the starts of their hours. Weeks before the website was created count from the first one that
// has something on: rows may have been imported.
func Known(values []float64, starts []time.Time, created time.Time) []float64 {
	for n := len(values); n > 0; n-- {
		if values[n-1] != 0 || !starts[n-1].Before(created) {
			return values[:n]
		}
	}
	return nil
}

// isUsuallyBusy reports whether a website usually has something at a time of which these are the counts of the weeks
// before: in all weeks but one in four.
func isUsuallyBusy(counts []float64) bool {
	busy := 0
	for _, n := range counts {
		if n > 0 {
			busy++
		}
	}
	return len(counts) >= leastWeeks && busy*4 >= len(counts)*3
}

// JudgeSilence decides whether a website is silent that had value pageviews in some minutes, and counts in the same
// minutes of the weeks before. Reported silence lasts until there is a pageview.
func JudgeSilence(value float64, counts []float64, on bool) Verdict {
	switch {
	case value > 0:
		return Rests
	case on || isUsuallyBusy(counts):
		return Holds
	}
	return Unknown
}
