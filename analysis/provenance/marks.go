package provenance

// marks tell which small numbers were met since the last clear, in constant time each: a merge
// may have as many parents as its path has steps.
type marks struct {
	round int
	at    []int // the round in which each number was met last
}

func (m *marks) clear() { m.round++ }

// first reports whether n, which is not negative, is met for the first time, and marks it.
func (m *marks) first(n int) bool {
	if n >= len(m.at) {
		m.at = append(m.at, make([]int, n+1-len(m.at))...)
	}
	if m.at[n] == m.round {
		return false
	}
	m.at[n] = m.round
	return true
}
