package doctor

import "golang.org/x/sys/windows"

// freeSpace returns the number of bytes that this user can still write to the disk that holds dir.
func freeSpace(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}
