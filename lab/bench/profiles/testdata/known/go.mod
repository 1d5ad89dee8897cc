module known

go 1.26
