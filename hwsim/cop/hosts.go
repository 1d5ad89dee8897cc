package cop

// This file holds the table of hosts.

var hosts = [...]*Host{Samples, valuesHost, Table, Edges, Targets, Follow, Deps, Conflicts, Stack}

// programOf returns the name of a built-in program for a host.
func programOf(host string) string {
	for _, name := range Names() {
		text, _ := Find(name)
		if image, err := ParseImage(text); err == nil && image.Host == host {
			return name
		}
	}
	return ""
}

func findHost(name string) *Host {
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
