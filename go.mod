module github.com/idelchi/aura

go 1.26.0

require github.com/idelchi/aura/sdk v0.1.0

replace github.com/idelchi/aura/sdk => ./sdk
