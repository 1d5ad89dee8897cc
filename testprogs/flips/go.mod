module github.com/pepgo/pep/testprogs/flips

go 1.26.0
