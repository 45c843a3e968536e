// @grpc/grpc-js with the defaults of its client. It makes every call that
// ../grpc/calls_test.go asks for, and prints what its caller sees, a line of JSON each.
import { Client, credentials } from "@grpc/grpc-js";
import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";

const { PEER_SERVERS, PEER_ERRORS } = process.env;
const service = "errmap.interop.v1.Failures";
const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";

// A google.protobuf.StringValue of less than 128 bytes.
const request = (text) => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]);

function call(client, method, error) {
  const path = `/${service}/${method}`;
  const options = { deadline: Date.now() + 20_000 };
  const asIs = (bytes) => bytes;
  return new Promise((resolve) => {
    let answers = 0;
    if (method === "Fail") {
      client.makeUnaryRequest(path, request, asIs, String(error), options, (failure) => resolve({ failure, answers }));
      return;
    }
    const stream = client.makeServerStreamRequest(path, request, asIs, String(error), options);
    stream.on("data", () => answers++);
    stream.on("error", (failure) => resolve({ failure, answers }));
    stream.on("end", () => setTimeout(() => resolve({ failure: null, answers }), 100));
  });
}

for (const server of PEER_SERVERS.split(",")) {
  const [name, target] = server.split("=");
  const client = new Client(target, credentials.createInsecure());
  for (let error = 0; error < Number(PEER_ERRORS); error++) {
    for (const method of ["Fail", "FailInTheMiddle"]) {
      const { failure, answers } = await call(client, method, error);
      const line = { server: name, error, method, answers, code: failure?.code ?? 0, message: failure?.details };
      const [bytes] = failure?.metadata?.get("grpc-status-details-bin") ?? [];
      if (bytes) {
        const { details } = decodeStatus(bytes);
        line.details = details.length;
        const info = details.find((detail) => detail.typeUrl === errorInfo);
        if (info) {
          const { reason, domain } = decodeErrorInfo(info.value);
          Object.assign(line, { reason, domain });
        }
      }
      console.log(JSON.stringify(line));
    }
  }
  client.close();
}
