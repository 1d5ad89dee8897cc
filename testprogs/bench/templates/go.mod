module github.com/pepgo/pep/testprogs/bench/templates

go 1.26.0
