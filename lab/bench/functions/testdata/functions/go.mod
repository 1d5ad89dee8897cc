module functions

go 1.26
