package sandbox

import "errors"

// CheckHosts returns why this system cannot enforce Policy.Hosts; nil if it can. A policy whose hosts cannot be enforced has no network.
func CheckHosts() error { return errors.New("this version of aura can only allow or refuse the network as a whole") }
