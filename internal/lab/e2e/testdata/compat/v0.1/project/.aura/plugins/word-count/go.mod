module word-count

go 1.25
