module github.com/pepgo/pep/testprogs/httpecho

go 1.26.0
