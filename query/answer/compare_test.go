package answer

import "testing"

// TestExactChange tests changes that floats do not compute to two decimals.
func TestExactChange(t *testing.T) {
	for _, row := range []struct {
		now, then float64
		want      string
	}{
		{-499999999.49925, 0.0001, "-499999999499350"},
		{99999999999.99, 0.03, "333333333333200"},
		{900000000.00005, 0.0007, "128571428571335.72"},
		{12345678.9012, 0.0001, "12345678901100"},
		{9007199254740991, 7, "128674275067728340"},
		{-1e10, -0.7, "1428571428471.43"},
	} {
		if got := string(appendRounded(nil, exactChange(row.now, row.then), 2)); got != row.want {
			t.Errorf("from %v to %v: %s %%, want %s", row.then, row.now, got, row.want)
		}
	}
}
