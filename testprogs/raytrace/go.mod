module github.com/pepgo/pep/testprogs/raytrace

go 1.26.0
