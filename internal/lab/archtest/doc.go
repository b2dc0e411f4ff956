// Package archtest holds the tests of the architecture; the main one keeps imports pointing toward sdk. The table in
// rules_test.go is the map of the repository: a new package needs a row there, and a new edge between packages changes the
// table.
package archtest
