package tap

// Reasons are all reasons why an expression is skipped.
var Reasons = []string{
	whyType, whyConditional, whyBeside, whyImpure, whyPanic, whyReread, whyCalls, whyPoint, whyEmbedded, whyEdge, whyAgain,
}
