// Package archtest holds the test that keeps imports pointing toward sdk. The table in rules_test.go is the map of the
// repository: a new package needs a row there, and a new edge between packages is a change to that table.
package archtest
