package machinepolicy

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemDir returns the directory of the policy below the folder of programs, which the system names. A variable could be changed.
func systemDir() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramFiles, windows.KF_FLAG_DEFAULT)
	if err != nil {
		dir = `C:\Program Files`
	}
	return filepath.Join(dir, "aura")
}

// trustedInstaller owns the folder of programs.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

// writing are the rights by which a file, or what is in a directory, can be changed.
const writing = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.FILE_WRITE_EA | windows.FILE_WRITE_ATTRIBUTES | windows.DELETE |
	windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL | fileDeleteChild

const fileDeleteChild = 0x40

func administrator(sid *windows.SID) bool {
	return sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) || sid.IsWellKnown(windows.WinLocalSystemSid) || sid.String() == trustedInstaller
}

// onlyAdministrators returns an error if others than administrators can change a file.
func onlyAdministrators(path string, _ fs.FileInfo) error {
	d, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("reading who may change %s: %w", path, err)
	}
	owner, _, err := d.Owner()
	if err != nil {
		return fmt.Errorf("reading the owner of %s: %w", path, err)
	}
	if !administrator(owner) {
		return fmt.Errorf("%s belongs to %s, and only administrators may own the policy and its directories", path, owner)
	}
	list, _, err := d.DACL()
	if err != nil || list == nil {
		return fmt.Errorf("%s has no list of who may change it (%v), so that everybody may", path, err)
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return fmt.Errorf("reading who may change %s: %w", path, err)
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || entry.Mask&writing == 0 {
			continue
		}
		if sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart)); !administrator(sid) {
			return fmt.Errorf("%s is writable by %s, and only administrators may change the policy", path, sid)
		}
	}
	return nil
}

// ownOrAdministrators is for builds for tests, which do not run here.
func ownOrAdministrators(path string, info fs.FileInfo) error { return onlyAdministrators(path, info) }
