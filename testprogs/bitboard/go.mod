module github.com/pepgo/pep/testprogs/bitboard

go 1.26.0
