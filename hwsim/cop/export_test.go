package cop

// This file opens back doors for tests.

// HostNames lists the hosts, for error messages.
var HostNames = hostNames
