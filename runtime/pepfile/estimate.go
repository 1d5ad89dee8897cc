package pepfile

// This file estimates how many events there were between bursts.

// Events returns about how many events there were in all.
func (b *Burst) Events() float64 {
	if b.Inside == 0 {
		return 0
	}
	inside := float64(b.Inside)
	plain := max(inside-float64(b.Seen)*float64(b.Cost)/1000, inside/20)
	return float64(b.Seen) * max(float64(b.CPU)/plain, 1)
}

// Scale returns the factor that makes counts of samples estimates of all events.
func (b *Burst) Scale() float64 {
	if b.Taken == 0 {
		return 1
	}
	return max(b.Events()/float64(b.Taken), 1)
}
