module github.com/pepgo/pep/testprogs/sortbench

go 1.26.0
