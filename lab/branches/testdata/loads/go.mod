module example.com/loads

go 1.26
