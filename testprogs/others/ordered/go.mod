module github.com/pepgo/pep/testprogs/others/ordered

go 1.26.0

require github.com/tidwall/btree v1.8.2
