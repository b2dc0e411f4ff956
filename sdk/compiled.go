package sdk

import "time"

// compiled holds what On, Emit, State, Now and Rand use in a program that aura has built from a plugin: aura adds a file to this package
// that sets it. Everywhere else its functions are nil. The interpreter replaces these functions itself.
var compiled struct {
	emit func(name string, payload any) error
	// listen is called for the first handler of an event.
	listen func(name string)
	state  func(Scope) Store
	now    func() time.Time
	rand   func() uint64
}
