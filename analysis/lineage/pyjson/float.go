package pyjson

import (
	"math"
	"strconv"
	"strings"
)

// How Python writes the floats that JSON has no notation for.
const (
	nan    = "NaN"
	inf    = "Infinity"
	negInf = "-Infinity"
)

// float returns a float's value. A literal beyond the range is infinite, as in Python.
func (v Value) float() float64 {
	switch v.text {
	case nan:
		return math.NaN()
	case inf:
		return math.Inf(1)
	case negInf:
		return math.Inf(-1)
	}
	f, _ := strconv.ParseFloat(v.text, 64)
	return f
}

// shortest returns the fewest decimal digits that read back as |f|, and the exponent e of
// d.ddd × 10^e. f is finite and not zero.
func shortest(f float64) (digits string, e int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
	e, _ = strconv.Atoi(exponent)
	return strings.Replace(mantissa, ".", "", 1), e
}

func sign(f float64) string {
	if math.Signbit(f) {
		return "-"
	}
	return ""
}

// plain returns digits with the point after the first e+1 of them, "" for a fraction that
// is empty.
func plain(digits string, e int) (whole, fraction string) {
	switch {
	case e < 0:
		return "0", strings.Repeat("0", -e-1) + digits
	case e+1 >= len(digits):
		return digits + strings.Repeat("0", e+1-len(digits)), ""
	}
	return digits[:e+1], digits[e+1:]
}

// repr writes a finite float as Python's repr does.
func repr(f float64) string {
	if f == 0 {
		return sign(f) + "0.0"
	}
	digits, e := shortest(f)
	if e < -4 || e >= 16 {
		s := digits[:1]
		if len(digits) > 1 {
			s += "." + digits[1:]
		}
		mark := "+"
		if e < 0 {
			mark, e = "-", -e
		}
		if e < 10 {
			mark += "0"
		}
		return sign(f) + s + "e" + mark + strconv.Itoa(e)
	}
	whole, fraction := plain(digits, e)
	if fraction == "" {
		fraction = "0"
	}
	return sign(f) + whole + "." + fraction
}

// ecmaScript writes a finite float as ECMAScript's Number::toString does (RFC 8785, 3.2.2.3).
func ecmaScript(f float64) string {
	if f == 0 {
		return "0"
	}
	digits, e := shortest(f)
	if e >= 21 || e < -6 {
		s := digits[:1]
		if len(digits) > 1 {
			s += "." + digits[1:]
		}
		mark := "+"
		if e < 0 {
			mark, e = "-", -e
		}
		return sign(f) + s + "e" + mark + strconv.Itoa(e)
	}
	whole, fraction := plain(digits, e)
	if fraction != "" {
		whole += "." + fraction
	}
	return sign(f) + whole
}
