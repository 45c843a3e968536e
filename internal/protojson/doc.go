// Package protojson turns Protobuf bytes into ProtoJSON and back, with tables that
// are compiled once from a descriptor. It uses neither reflection nor the messages
// themselves on the way, and so works alike for types with generated code and for
// those that a program has from a descriptor alone.
//
// Whether the JSON of a message says all of it is decided from the data while it is
// written (see [Fidelity]), and whether JSON is read whole while it is read: nothing
// is proved by reading back.
//
// What the tables cannot hold is handed to protobuf's own protojson, whose work is
// then checked by reading it back: extensions, groups, MessageSets, values that a
// closed enum does not have, and fields of one message that share a JSON name. Bytes
// that have a field twice, which no library writes, are put right by protobuf first.
// Of either it is given no more than 64 KiB: larger ones have no ProtoJSON here.
package protojson
