package torture

func gotestCases(*Env) ([]Case, error)  { return nil, nil }
func modulesCases(*Env) ([]Case, error) { return nil, nil }
func stdCases(*Env) ([]Case, error)     { return nil, nil }
func testsCases(*Env) ([]Case, error)   { return nil, nil }
func soakCases(*Env) ([]Case, error)    { return nil, nil }
