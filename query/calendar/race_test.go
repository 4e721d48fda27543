//go:build race

package calendar

// zoneStep takes one zone of so many: the race detector makes them slow, and finds no
// goroutines here. Without it, all are taken.
const zoneStep = 64
