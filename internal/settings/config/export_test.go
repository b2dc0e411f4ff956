package config

// ReservedFor is reservedFor, for tests.
var ReservedFor = reservedFor
