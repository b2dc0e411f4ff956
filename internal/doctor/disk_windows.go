package doctor

import "golang.org/x/sys/windows"

// freeSpace is what this user may still write to the disk of a directory, in bytes.
func freeSpace(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}
