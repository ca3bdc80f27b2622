package canonical

import (
	"bytes"
	"strconv"
)

// IsExact says whether a number is still the same after it was read as a double and written
// in the fewest digits that are read as that double. Of a number that is out of range it
// says that it is: see [IsInRange].
func IsExact(number []byte) bool {
	const safe = 15 // digits that every double keeps
	if len(number) <= safe && bytes.IndexByte(number, 'e') < 0 && bytes.IndexByte(number, 'E') < 0 {
		return true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return true
	}
	digits, exponent := decimal(number)
	kept, keptExponent := decimal(strconv.AppendFloat(nil, f, 'e', -1, 64))
	return bytes.Equal(digits, kept) && (exponent == keptExponent || len(digits) == 0)
}

// IsInRange says whether a number is one that a double can be.
func IsInRange(number []byte) bool {
	_, err := strconv.ParseFloat(string(number), 64)
	return err == nil
}

// decimal returns the digits of a number without zeros at both ends, and the power of ten of
// the first one.
func decimal(number []byte) (digits []byte, exponent int) {
	number = bytes.TrimLeft(number, "-")
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(string(number[i+1:])) // out of range: the nearest, which differs too
		number = number[:i]
	}
	whole, fraction, _ := bytes.Cut(number, []byte("."))
	digits = append(bytes.Clone(whole), fraction...)
	exponent += len(whole) - 1
	before := len(digits)
	digits = bytes.TrimLeft(digits, "0")
	return bytes.TrimRight(digits, "0"), exponent - (before - len(digits))
}
