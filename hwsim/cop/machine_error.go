package cop

// An Error says what is wrong with a machine, a program, or an access by software.
type Error string

func (e Error) Error() string { return string(e) }
