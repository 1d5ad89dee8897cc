package command

// This file defines kinds of flags that several verbs have.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Number defines a flag that says how many things a listing shows; 0 is all. Usage texts
// are written by hand, so flags have none.
func (c *Call) Number(name string, n int, things string) *int {
	x := &number{n, things}
	c.Flags.Var(x, name, "")
	return &x.n
}

type number struct {
	n      int
	things string
}

func (x *number) String() string { return strconv.Itoa(x.n) }

func (x *number) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("want a number of %s, or 0 for all", x.things)
	}
	x.n = n
	return nil
}

// Percent defines a flag that is a percentage above 0. The value that it returns is a
// share: 0.1 for the percentage 10.
func (c *Call) Percent(name string, percentage float64) *float64 {
	x := share(percentage / 100)
	c.Flags.Var(&x, name, "")
	return (*float64)(&x)
}

type share float64

func (x *share) String() string { return strconv.FormatFloat(100*float64(*x), 'g', -1, 64) }

func (x *share) Set(text string) error {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p <= 100) {
		return errors.New("want a percentage above 0, and at most 100")
	}
	*x = share(p / 100)
	return nil
}

// Percents defines a flag that is a list of percentages above 0, separated by commas. Its value has shares.
func (c *Call) Percents(name string, percentages ...float64) *[]float64 {
	x := new(shares)
	for _, p := range percentages {
		*x = append(*x, p/100)
	}
	c.Flags.Var(x, name, "")
	return (*[]float64)(x)
}

type shares []float64

func (x *shares) String() string { return "" }

func (x *shares) Set(text string) error {
	*x = nil
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		var s share
		if err := s.Set(part); err != nil {
			return fmt.Errorf("%q is no percentage above 0", part)
		}
		*x = append(*x, float64(s))
	}
	return nil
}

// Regexp defines a flag that is a regular expression. Without it, or if it is empty, *re stays nil.
func (c *Call) Regexp(name string, re **regexp.Regexp) {
	c.Flags.Func(name, "", func(text string) (err error) {
		if *re = nil; text != "" {
			*re, err = regexp.Compile(text)
		}
		return err
	})
}

// OneOf defines a flag that has one of some values; the first is the default.
func (c *Call) OneOf(name string, values ...string) *string {
	x := &choice{values[0], values}
	c.Flags.Var(x, name, "")
	return &x.value
}

type choice struct {
	value  string
	values []string
}

func (x *choice) String() string { return x.value }

func (x *choice) Set(text string) error {
	if !slices.Contains(x.values, text) {
		return fmt.Errorf("want %s%s", strings.Join(x.values, ", "), Meant(text, x.values))
	}
	x.value = text
	return nil
}
