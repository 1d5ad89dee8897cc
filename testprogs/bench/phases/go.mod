module github.com/pepgo/pep/testprogs/bench/phases

go 1.26.0
