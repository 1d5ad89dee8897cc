// Protocol encodes and decodes messages of Protocol Buffers, as bytes and as text.
//
// It exercises tables of functions, reflection and loops over varints. Hot: google.golang.org/protobuf.
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// rounds is the number of times that the message is encoded and decoded at 100 percent.
const rounds = 3300

var errUsage = errors.New("usage: protocol [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	// The message is a description of messages: that of descriptor.proto itself.
	message := protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)
	if secondInput {
		message = enums()
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for i := range n {
		wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		if err != nil {
			return err
		}
		sum.Write(wire)
		var back descriptorpb.FileDescriptorProto
		if err := proto.Unmarshal(wire, &back); err != nil {
			return err
		}
		if !proto.Equal(message, &back) {
			return errors.New("decoding gives another message")
		}
		if i%4 > 0 {
			continue
		}
		text, err := protojson.Marshal(&back)
		if err != nil {
			return err
		}
		var again descriptorpb.FileDescriptorProto
		if err := protojson.Unmarshal(text, &again); err != nil {
			return err
		}
		if !proto.Equal(message, &again) {
			return errors.New("decoding text gives another message")
		}
	}
	_, err = fmt.Fprintf(stdout, "protocol: %d rounds, checksum %08x\n", n, sum.Sum32())
	return err
}

// enums returns a description of enumerations.
func enums() *descriptorpb.FileDescriptorProto {
	message := &descriptorpb.FileDescriptorProto{Name: proto.String("enums.proto")}
	for i := range int32(40) {
		enum := &descriptorpb.EnumDescriptorProto{Name: proto.String(fmt.Sprintf("E%d", i))}
		for k := range 4 + i%5 {
			enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{
				Name: proto.String(fmt.Sprintf("VALUE_%d_OF_%d", k, i)), Number: proto.Int32(k * -i * 1000),
				Options: &descriptorpb.EnumValueOptions{Deprecated: proto.Bool(k%2 == 0)},
			})
		}
		message.EnumType = append(message.EnumType, enum)
	}
	return message
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
