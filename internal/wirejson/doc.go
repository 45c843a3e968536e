// Package wirejson reads and writes the ProtoJSON of messages by way of their
// wire bytes, with tables made once from their descriptors. Generated messages
// are much faster from and to wire bytes than by reflection, which is how
// protojson reads and writes them.
//
// The package answers only where it is certain of what protojson would say, and
// declines otherwise: a field of a kind that is not in its tables, text with
// lone surrogates, a member twice, all that is wrong. Then the caller takes the
// general way, through protojson, which also tells what is wrong. Fuzz tests hold
// the two together.
//
// It cannot tell fields of a message within another one that a program itself made
// unknown, with SetUnknown, under numbers that the schema knows: they are written.
package wirejson
