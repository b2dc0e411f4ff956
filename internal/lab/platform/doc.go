// Package platform runs programs that were built for another platform: stories that every platform must hold, as tests.
// 'make platform-arm64' and 'make platform-windows' build the programs and run the tests.
package platform
