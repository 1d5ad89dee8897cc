// Package poll says what kind of build this is.
package poll
