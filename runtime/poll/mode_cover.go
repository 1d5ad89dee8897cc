//go:build pepcover

package poll

const Cover = true
