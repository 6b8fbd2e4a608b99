//go:build !race

package acctest

const raceDetector = false
