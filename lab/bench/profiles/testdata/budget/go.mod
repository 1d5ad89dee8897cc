module budget

go 1.26
