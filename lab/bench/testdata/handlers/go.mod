module handlers

go 1.26
