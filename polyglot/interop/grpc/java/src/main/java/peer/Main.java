// grpc-java over netty, with the defaults of its channel. It makes every call that
// ../../calls_test.go asks for, and prints what its caller sees, a line of JSON each.
package peer;

import com.google.gson.Gson;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import com.google.rpc.ErrorInfo;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

public final class Main {
  private static final String SERVICE = "errmap.interop.v1.Failures";

  public static void main(String[] args) throws Exception {
    int errors = Integer.parseInt(System.getenv("PEER_ERRORS"));
    for (String server : System.getenv("PEER_SERVERS").split(",")) {
      String[] named = server.split("=", 2);
      ManagedChannel channel = NettyChannelBuilder.forTarget(named[1]).usePlaintext().build();
      for (int i = 0; i < errors; i++) {
        for (String method : new String[] {"Fail", "FailInTheMiddle"}) {
          Map<String, Object> line = call(channel, method, i);
          line.put("server", named[0]);
          line.put("error", i);
          line.put("method", method);
          System.out.println(new Gson().toJson(line));
        }
      }
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static MethodDescriptor<StringValue, StringValue> method(String name) {
    return MethodDescriptor.<StringValue, StringValue>newBuilder()
        .setType(name.equals("Fail") ? MethodDescriptor.MethodType.UNARY : MethodDescriptor.MethodType.SERVER_STREAMING)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .build();
  }

  private static Map<String, Object> call(ManagedChannel channel, String name, int error) {
    Map<String, Object> line = new LinkedHashMap<>();
    int answers = 0;
    try {
      CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
      StringValue request = StringValue.of(Integer.toString(error));
      if (name.equals("Fail")) {
        ClientCalls.blockingUnaryCall(channel, method(name), options, request);
      } else {
        var stream = ClientCalls.blockingServerStreamingCall(channel, method(name), options, request);
        while (stream.hasNext()) {
          stream.next();
          answers++;
        }
      }
      line.put("code", 0);
    } catch (StatusRuntimeException e) {
      line.put("code", e.getStatus().getCode().value());
      line.put("message", e.getStatus().getDescription());
      com.google.rpc.Status status = StatusProto.fromThrowable(e);
      line.put("details", status == null ? 0 : status.getDetailsCount());
      if (status != null) {
        for (Any detail : status.getDetailsList()) {
          if (detail.is(ErrorInfo.class) && !line.containsKey("reason")) {
            try {
              ErrorInfo info = detail.unpack(ErrorInfo.class);
              line.put("reason", info.getReason());
              line.put("domain", info.getDomain());
            } catch (InvalidProtocolBufferException broken) {
              line.put("reason", "unreadable: " + broken.getMessage());
            }
          }
        }
      }
    }
    line.put("answers", answers);
    return line;
  }
}
