//go:build !pepflag && !pepexact

package core

const mode = modePage
