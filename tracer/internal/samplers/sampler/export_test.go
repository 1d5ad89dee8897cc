package sampler

// FetchEvery is how often runs are fetched from a buffer of some bytes.
var FetchEvery = (*Options).fetchEvery
