// Command peptrace looks into running Go programs.
package main
