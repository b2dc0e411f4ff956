// Package box gives values of a plugin's own types an identity in compiled code.
//
// The interpreter has no types of a plugin's own: a struct is a struct without a name and without methods, and a named number is
// a number. Lowered source (see package lower) puts such a value into a box when it stores it in an interface. The box knows the
// type's description. It lets package fmt, errors and json see the value as Go would show it, and lets the source find the type
// and its methods again.
package box
