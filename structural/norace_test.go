//go:build !race

package structural

const raceDetector = false
