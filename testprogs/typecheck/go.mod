module github.com/pepgo/pep/testprogs/typecheck

go 1.26.0
