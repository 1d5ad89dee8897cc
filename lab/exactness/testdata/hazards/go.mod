module example.com/hazards

go 1.26.0
