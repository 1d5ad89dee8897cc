// Package policy holds no code, only tests whose text is the policy of this
// tree: which package may import which, what commands may hold, what must be
// documented.
//
//	runtime/... : runtime/...
//
// in its table says that what is linked into programs imports nothing else of
// this module. That a policy is kept says nothing about whether it is good; the
// reasons stand beside it.
package policy
