// Package weigh estimates shares from samples that come in clusters.
//
//	var all weigh.Total
//	var path weigh.Part
//	for _, burst := range bursts {
//		all.Add(weight * samples)         // of the burst
//		path.Add(weight*mine, weight*samples) // mine: the samples of the path
//	}
//	share, variance := path.Share(&all)
//
// The samples of a burst are not independent: they are often from the same loop. So the
// variance of a share comes from the differences between bursts, not from the number of
// samples.
package weigh
