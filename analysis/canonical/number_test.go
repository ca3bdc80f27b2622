package canonical

import (
	"math/big"
	"strconv"
	"testing"
)

func TestNumbersThatReadersKeep(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "0e5": true, "1": true, "1.50": true, "100": true, "1e2": true, "1E+2": true, "-12.25e-3": true,
		"9007199254740991": true, "9007199254740992": true, "9007199254740993": false, "-9007199254740993": false,
		"9007199254740994": true, "12345678901234567890": false, "10000000000000000000": true, "123456789012345680000": true,
		"0.1": true, "0.30000000000000004": true, "0.300000000000000044": false, "3.141592653589793": true, "3.14159265358979323846": false,
		"1.0000000000000000000000000000000000000": true, "0.00000000000000000000000000000000001": true,
		"1e-400": false, "1e400": true, "5e-324": true, "4e-324": false, "1e99999999999999999999": true,
	} {
		if got := IsExact([]byte(number)); got != want {
			t.Errorf("%s is kept: %v, want %v", number, got, want)
		}
	}
}

// The oracle knows the number in full, and that of the shortest digits of its double.
func FuzzIsExact(f *testing.F) {
	for _, s := range []string{"9007199254740993", "0.1", "1e23", "123456789.123456789e-3", "-0.0", "0.30000000000000004"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		double, err := strconv.ParseFloat(s, 64)
		exact, ok := new(big.Rat).SetString(s)
		if err != nil || !ok || len(s) > 100 || s[0] == '+' || s[0] == '.' {
			return
		}
		for i, c := range []byte(s) {
			if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' || c == '.' && (i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9') {
				return // no JSON number
			}
		}
		kept, _ := new(big.Rat).SetString(strconv.FormatFloat(double, 'e', -1, 64))
		if got, want := IsExact([]byte(s)), kept.Cmp(exact) == 0; got != want {
			t.Errorf("%q is kept: %v, want %v", s, got, want)
		}
	})
}
