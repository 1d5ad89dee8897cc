module github.com/pepgo/pep/testprogs/others/numeric

go 1.26.0

require gonum.org/v1/gonum v0.17.0
