package reference

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

const (
	tenThousandths = 10_000      // decimals of properties are whole numbers of these
	largestDecimal = 999_999_999 // in units
	largestSum     = 900_000_000_000_000
)

var (
	plainDecimal = regexp.MustCompile(`^-?[0-9]{1,9}(\.[0-9]+)?$`)
	jsonNumber   = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)(?:[eE]([+-]?[0-9]+))?$`)
)

// decimalOf returns the decimal of a property in ten-thousandths, rounded with halves away from zero, and whether it
// has one.
func decimalOf(p propertyValue) (int64, bool) {
	switch p.kind {
	case stringProperty:
		if text := strings.TrimSpace(p.text); plainDecimal.MatchString(text) {
			return roundDecimal(text, 0)
		}
	case numberProperty:
		return numberOf(p.text)
	}
	return 0, false
}

// decimalOfText returns the decimal of the value of a filter, whose JSON was a number or a string.
func decimalOfText(text string) (int64, bool) {
	if n, ok := decimalOf(propertyValue{stringProperty, text}); ok {
		return n, true
	}
	if json.Valid([]byte(text)) {
		return numberOf(text)
	}
	return 0, false
}

// numberOf returns the decimal of a JSON number.
func numberOf(text string) (int64, bool) {
	parts := jsonNumber.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	if strings.Trim(parts[1], "-0.") == "" {
		return 0, true
	}
	exponent := 0
	if parts[2] != "" {
		n, err := strconv.Atoi(parts[2])
		switch far := len(text) + 100; { // further than all digits of the number
		case strings.HasPrefix(parts[2], "-") && (err != nil || n < -far):
			return 0, true
		case err != nil || n > far:
			return 0, false
		}
		exponent = n
	}
	return roundDecimal(parts[1], exponent)
}

// roundDecimal returns text · 10^exponent in ten-thousandths.
func roundDecimal(text string, exponent int) (int64, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		power.Inv(power)
	}
	r.Mul(r, power)
	rounded, _ := new(big.Rat).SetString(decimal(r, 4))
	if new(big.Rat).Abs(rounded).Cmp(big.NewRat(largestDecimal, 1)) > 0 {
		return 0, false
	}
	return rounded.Mul(rounded, big.NewRat(tenThousandths, 1)).Num().Int64(), true
}

// sumOf returns the exact sum of decimals.
func sumOf(list []int64) *big.Rat {
	sum := new(big.Int)
	for _, n := range list {
		sum.Add(sum, big.NewInt(n))
	}
	return new(big.Rat).SetFrac(sum, big.NewInt(tenThousandths))
}

// tooLarge reports whether a sum may not be shown.
func tooLarge(sum *big.Rat) bool {
	return new(big.Rat).Abs(sum).Cmp(big.NewRat(largestSum, 1)) > 0
}

// sumCell returns the sum of decimals as a cell. If the sum is too large, the question fails.
func sumCell(list []int64) value {
	sum := sumOf(list)
	if tooLarge(sum) {
		return value{kind: tooLargeValue}
	}
	return decimals(sum, 4)
}

// averageCell returns the average of decimals as a cell, or null without any.
func averageCell(list []int64) value {
	sum := sumCell(list)
	switch {
	case len(list) == 0:
		return value{}
	case sum.kind == tooLargeValue:
		return sum
	}
	return decimals(per(sum.number, int64(len(list))), 4)
}

// decimalsOf returns the decimals that rows have in the property key.
func decimalsOf(rows []*row, key string) []int64 {
	var list []int64
	for _, r := range rows {
		if n, ok := decimalOf(r.values[key]); ok {
			list = append(list, n)
		}
	}
	return list
}
