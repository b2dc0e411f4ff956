module github.com/idelchi/aura/sdk

go 1.25
