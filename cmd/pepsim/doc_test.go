package main

import (
	"testing"

	"github.com/pepgo/pep/internal/command/commandtest"
)

func TestDoc(t *testing.T) { commandtest.Doc(t, &pepsim, makeExample, *update) }

func TestUsage(t *testing.T) { commandtest.Usage(t, &pepsim, makeExample) }
