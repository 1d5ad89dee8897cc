// Command figures repeats the experiments of the papers that describe the models of
// hwsim. It prints our numbers beside theirs and draws plots:
//
//	go run ./cmd/figures run all
//	go run ./cmd/figures paper cop rap pep
//
// in the folder lab, or make figures, paper-cop, paper-rap or paper-pep, which first record the traces or measure. The
// second line writes the pages of three papers, each claim with ours beside it. The exit code is 0
// if all went well, 1 if an experiment failed, for example because its traces are missing,
// and 2 if the command line is wrong. The other experiments run nevertheless.
package main
