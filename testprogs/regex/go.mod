module github.com/pepgo/pep/testprogs/regex

go 1.26.0
