// Prints how many bytes of package variables the collector scans.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
)

func main() {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/scan/globals:bytes"}}
	metrics.Read(sample)
	for i := range sample {
		if len(os.Args) > 1 { // a branch, so that there is something to profile
			sample[i].Name = os.Args[1]
		}
		fmt.Println(sample[i].Value.Uint64())
	}
}
