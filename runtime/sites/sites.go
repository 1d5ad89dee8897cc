// Package sites holds the site tables of the program that it is linked into, and its table of actions.
//
// In this module, and in the linked runtime before a program is linked, there
// are none. When pepbuild links a program it compiles this file again, with the
// tables written into the literal below (gobuild/internal/linked). They are constant
// data of the program, so reading them needs no file, and they are still there
// when the program was stripped, when it runs in a chroot, and when its file has
// been deleted.
//
// Other packages of the runtime were compiled against the file as it stands
// here. The linker checks that the export data of the two versions is the same:
// the type of the variable and its line and column, but not what is in the literal.
package sites

// Tables are the site tables of all packages of the program, in the format that
// [github.com/pepgo/pep/format/wire.Join] writes. Behind them is the table of actions of a program that
// has one, in the format that [github.com/pepgo/pep/format/actiontable] reads. What follows, if
// something does, is space that the program did not need.
var Tables = ""
