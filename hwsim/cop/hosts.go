package cop

// This file holds the table of hosts.

import (
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/images"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/cop/values"
)

var hosts = [...]*host.Host{host.Samples, values.Host, host.Table, host.Edges, host.Targets, host.Follow, host.Deps,
	host.Conflicts, host.Stack}

// programOf returns the name of a built-in program for a host.
func programOf(host string) string {
	for _, name := range images.Names() {
		text, _ := images.Find(name)
		if image, err := machine.ParseImage(text); err == nil && image.Host == host {
			return name
		}
	}
	return ""
}

func findHost(name string) *host.Host {
	for _, h := range hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

func hostNames() (s string) {
	for i, h := range hosts {
		if i > 0 {
			s += ", "
		}
		s += h.Name
	}
	return s
}
