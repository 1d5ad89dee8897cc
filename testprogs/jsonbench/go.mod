module github.com/pepgo/pep/testprogs/jsonbench

go 1.26.0
