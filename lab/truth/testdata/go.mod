module truth

go 1.26
