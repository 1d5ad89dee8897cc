// Package probe attaches probes.
package probe
