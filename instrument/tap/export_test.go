package tap

// Reasons are all reasons why something is not tapped.
var Reasons = []string{
	whyType, whyConditional, whyBeside, whyImpure, whyPanic, whyReread, whyCalls, whyPoint, whyEmbedded, whyEdge, whyAgain,
}
