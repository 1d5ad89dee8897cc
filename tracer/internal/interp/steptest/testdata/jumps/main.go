// Command jumps spends its time in switches that the compiler makes jumps by tables of, in loops, conditional moves, calls and panics.
package main

import "os"

func main() {
	x := 0
	for i := range 1 << 40 {
		x += machine(i)
		x += digits(i)
	}
	os.Exit(x & 1)
}

// machine executes random operations.
func machine(seed int) (sum int) {
	x := uint32(seed) * 2654435761
	low := 0
	for range 40 {
		if sum < low {
			low = sum
		}
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		switch x >> 8 % 14 {
		case 0:
			sum++
		case 1:
			sum -= 3
		case 2:
			if sum > 10 {
				sum /= 2
			}
		case 3:
			fallthrough
		case 4:
			sum += depth(int(x % 5))
		case 5:
			for j := range x % 7 {
				sum += int(j)
			}
		case 6:
			sum = max(sum, int(x%100))
		case 7, 8:
			sum += recovered(x)
		case 9:
			continue
		case 10:
			sum ^= 1
		default:
			if x&1 == 0 && x&2 == 0 || sum == 17 {
				return sum
			}
		}
	}
	return sum - low
}

func depth(n int) int {
	if n == 0 {
		return 1
	}
	return depth(n-1) + n
}

func recovered(x uint32) (n int) {
	defer func() {
		if recover() != nil {
			n = 5
		}
	}()
	if x&0xf0 == 0 {
		panic(x)
	}
	return int(x & 3)
}

func digits(n int) (count int) {
	for ; n > 0; n /= 10 {
		switch n % 10 {
		case 0, 2, 4:
			count++
		case 1:
			count += 2
		case 3:
			count += kind("three")
		case 5:
			count += kind("five")
		case 6, 7, 8:
			count--
		case 9:
			count += 9
		}
	}
	return count
}

//go:noinline
func kind(s string) int {
	switch s {
	case "one", "two":
		return 1
	case "three":
		return 3
	}
	return 5
}
