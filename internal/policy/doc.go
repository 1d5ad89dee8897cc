// Package policy holds no code, only tests whose text is the policy of this
// tree: which package may import which, what commands may hold, what must be
// documented.
//
//	runtime/... : runtime/...
//
// in its table says that what is linked into programs imports nothing else of this
// module. The tests check that the tree keeps a policy, not that the policy is good.
// The reasons for a policy stand beside it.
package policy
