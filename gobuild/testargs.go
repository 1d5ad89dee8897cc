package gobuild

// This file reads the arguments of pepbuild test as go test reads its own
// (cmd/go/internal/test/testflag.go): flags may stand before and behind the
// packages, and flags that go test does not know go to the test.

// parseTest takes all arguments behind the verb.
func (a *Args) parseTest(args []string) error {
	var (
		inPackages = false // the argument before this one was a package
		noPackages = false // what follows are no packages
		bare       = false // the argument before this one was a flag of the test's without a value
		foreign    = ""    // the first flag of the test's
	)
	for len(args) > 0 {
		arg := args[0]
		afterBare := bare
		bare = false
		if arg == "--" {
			a.Rest = append(a.Rest, args...)
			break
		}
		name, _, hasValue, isFlag := splitFlag(arg)
		if !isFlag {
			if inPackages || !noPackages {
				inPackages, noPackages = true, true
				a.Patterns = append(a.Patterns, arg)
				args = args[1:]
				continue
			}
			if !afterBare {
				a.Rest = append(a.Rest, args...)
				break
			}
			// It may be the value of the flag before it.
			a.Rest = append(a.Rest, arg)
			args = args[1:]
			continue
		}
		inPackages = false
		if a.knows(name) {
			rest, err := a.flag(args)
			if err != nil {
				return err
			}
			args = rest
			continue
		}
		noPackages = true
		args = args[1:]
		if arg == "-args" || arg == "--args" {
			a.Rest = append(a.Rest, args...)
			break
		}
		if foreign == "" {
			foreign = arg
		}
		a.Rest = append(a.Rest, arg)
		bare = !hasValue
	}
	if foreign != "" && isOn(a.GoFlags, "c") {
		return usagef("unknown flag %s cannot be used with -c", foreign)
	}
	return nil
}
