module github.com/pepgo/pep/testprogs/others/script

go 1.26.0

require github.com/d5/tengo/v2 v2.17.0
