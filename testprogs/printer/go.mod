module github.com/pepgo/pep/testprogs/printer

go 1.26.0
