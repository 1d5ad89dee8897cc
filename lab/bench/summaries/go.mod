module github.com/pepgo/pep/lab/bench/summaries

go 1.26.0

require (
	github.com/DataDog/sketches-go v1.4.8
	github.com/caio/go-tdigest/v4 v4.1.0
	github.com/pepgo/pep v0.0.0
	github.com/tylertreat/BoomFilters v0.0.0-20251001182300-5b3723cc64ae
)

require (
	github.com/d4l3k/messagediff v1.2.1 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

replace github.com/pepgo/pep => ../../..
