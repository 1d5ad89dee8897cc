module github.com/pepgo/pep/testprogs/filters

go 1.26.0
