package reference

import (
	"math/big"
	"slices"
	"strings"
)

// quantile returns the percent-th percentile of list, interpolated between neighbours and exact. It
// returns nil if list is empty.
func quantile(list []int64, percent int64) *big.Rat {
	if len(list) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(list))
	place := int64(len(sorted)-1) * percent // in hundredths
	i, rest := place/100, place%100
	q := new(big.Rat).SetInt64(sorted[i])
	if rest > 0 {
		step := big.NewRat((sorted[i+1]-sorted[i])*rest, 100)
		q.Add(q, step)
	}
	return q
}

// average returns the exact mean of list, or nil if list is empty.
func average(list []int64) *big.Rat {
	if len(list) == 0 {
		return nil
	}
	sum := int64(0)
	for _, v := range list {
		sum += v
	}
	return big.NewRat(sum, int64(len(list)))
}

// per divides r by a whole number. Nil stays nil.
func per(r *big.Rat, by int64) *big.Rat {
	if r == nil {
		return nil
	}
	return new(big.Rat).Quo(r, big.NewRat(by, 1))
}

// seconds returns milliseconds as seconds. Nil becomes null.
func seconds(ms *big.Rat) value { return fraction(per(ms, 1000)) }

// decimal returns r with at most digits decimals, rounded once with halves away from zero, without trailing
// zeros.
func decimal(r *big.Rat, digits int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	// |r| * scale, rounded: floor((2 n scale + d) / 2 d)
	n := new(big.Int).Mul(new(big.Int).Abs(r.Num()), scale)
	n.Mul(n, big.NewInt(2)).Add(n, r.Denom())
	n.Quo(n, new(big.Int).Mul(big.NewInt(2), r.Denom()))
	whole, rest := new(big.Int).QuoRem(n, scale, new(big.Int))
	text := whole.String()
	if rest.Sign() > 0 {
		fraction := rest.String()
		fraction = strings.Repeat("0", digits-len(fraction)) + fraction
		text += "." + strings.TrimRight(fraction, "0")
	}
	if r.Sign() < 0 && n.Sign() > 0 {
		text = "-" + text
	}
	return text
}
