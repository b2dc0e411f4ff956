// Package progen writes random Go programs for tests that compare two ways to run a program.
//
// A seed always gives the same program. Programs are well typed, end, and print the same whenever Go runs them: they depend on
// neither the order of maps nor addresses, and they evaluate calls only where Go defines their order.
package progen
