package linediff

// block is the step in bytes by which git drops the tail.
const block = 1024

// tail returns how many lines to drop from the end of both texts: git removes
// equal blocks of bytes from the end and then gives back the bytes up to the
// next line end, so that a line cut in two stays.
func tail(oldLines, newLines int, old, new func(int) []byte) int {
	equal := sharedSuffix(oldLines, newLines, old, new)
	removed := equal - equal%block
	lines, size := 0, 0
	for lines < oldLines {
		size += len(old(oldLines - 1 - lines))
		if size >= removed {
			break
		}
		lines++
	}
	return lines
}

// sharedSuffix returns how many bytes both texts have in common at their end.
func sharedSuffix(oldLines, newLines int, old, new func(int) []byte) int {
	size := 0
	for i, j := oldLines-1, newLines-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		a, b := old(i), new(j)
		n := suffix(a, b)
		size += n
		if n < len(a) || n < len(b) {
			break
		}
	}
	return size
}

func suffix(a, b []byte) int {
	if len(a) == len(b) && string(a) == string(b) {
		return len(a)
	}
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
