package collector

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// percent and limit are what is in force.
func percent() int {
	p := debug.SetGCPercent(-1)
	debug.SetGCPercent(p)
	return p
}

func limit() int64 { return debug.SetMemoryLimit(-1) }

// awake ends all rests, that of the start too, by a collection.
func awake(t *testing.T) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		runtime.Gosched()
		state.mu.Lock()
		resting := state.resting
		state.mu.Unlock()
		if resting == 0 {
			return
		}
	}
	t.Fatal("no collection ends the rest")
}

// The collector rests when the program starts, until it collects.
func TestStart(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	awake(t)
	start()
	if percent() != -1 || limit() > inUse()+startRoom {
		t.Errorf("the percentage is %d, the limit %d", percent(), limit())
	}
	awake(t)
	if percent() != 100 || limit() != math.MaxInt64 {
		t.Errorf("after a collection the percentage is %d, the limit %d", percent(), limit())
	}
}

// What the user says about the collector counts.
func TestStartAsToldOtherwise(t *testing.T) {
	for _, variable := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(variable, "100")
			awake(t)
			start()
			if p := percent(); p != 100 {
				t.Errorf("the percentage is %d", p)
			}
		})
	}
}

// Several may want rest at a time: the room is the largest that one of them wants, and the
// last one to end ends it.
func TestRest(t *testing.T) {
	awake(t)
	endFirst := Rest(1 << 20)
	endSecond := Rest(1 << 30)
	if limit() < 1<<30 {
		t.Errorf("the limit is %d", limit())
	}
	endThird := Rest(1 << 20)
	if limit() < 1<<30 {
		t.Errorf("one with less room made the limit %d", limit())
	}
	endFirst()
	endFirst()
	endThird()
	if percent() != -1 {
		t.Errorf("it works before the last one ended: %d", percent())
	}
	endSecond()
	if percent() != 100 || limit() != math.MaxInt64 {
		t.Errorf("at the end the percentage is %d, the limit %d", percent(), limit())
	}
}
