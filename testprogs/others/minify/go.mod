module github.com/pepgo/pep/testprogs/others/minify

go 1.26.0

require github.com/tdewolff/minify/v2 v2.24.25

require github.com/tdewolff/parse/v2 v2.8.20 // indirect
