"""A cart with json-rpc and wsgiref, which fails with the error object that is the name of
the article. It prints its port."""

import json
from wsgiref.simple_server import WSGIRequestHandler, make_server

from jsonrpc import Dispatcher, JSONRPCResponseManager
from jsonrpc.exceptions import JSONRPCDispatchException


def get(sku):
    if sku == "throw":
        raise ValueError("cannot reach 10.0.0.7")
    if sku.startswith("{"):
        raise JSONRPCDispatchException(**json.loads(sku))
    return {"sku": sku, "qty": 1}


dispatcher = Dispatcher({"shop.v1.Cart/Get": get})


def application(environ, start_response):
    request = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    answer = JSONRPCResponseManager.handle(request.decode(), dispatcher).json.encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
    return [answer]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
