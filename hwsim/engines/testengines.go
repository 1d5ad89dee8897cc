//go:build peptestengines

package engines

import "github.com/pepgo/pep/hwsim/enginetest"

// Programs that tests of this project link have the engines of package enginetest.
func init() { All = append(All[:len(All):len(All)], enginetest.Cells, enginetest.Gate) }
