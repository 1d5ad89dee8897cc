// Prints how many bytes of package variables the collector scans.
package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
)

func main() {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/scan/globals:bytes"}}
	metrics.Read(sample)
	fmt.Println(sample[0].Value.Uint64())
}
