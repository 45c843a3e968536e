//! The cart of ../../upstreams_test.go with tonic, and with its reflection. It prints
//! its port.

use std::{collections::HashMap, env, process, time::Duration};

use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::codegen::{http, Body, BoxFuture, Context, Poll, Service, StdError};
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic::{transport::Server, Code, Request, Response, Status};
use tonic_prost::ProstCodec;
use tonic_types::{ErrorDetails, StatusExt};

#[derive(Clone, PartialEq, prost::Message)]
struct GetRequest {
    #[prost(string, tag = "1")]
    sku: String,
    #[prost(int32, tag = "2")]
    qty: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
struct GetResponse {
    #[prost(string, tag = "1")]
    sku: String,
    #[prost(int64, tag = "2")]
    qty: i64,
}

/// The error that a request asks for.
fn failure(request: &GetRequest) -> Status {
    let metadata = HashMap::from([("sku".to_string(), request.sku.clone())]);
    let details = ErrorDetails::with_error_info("STOCK_EMPTY", "shop.example.com", metadata);
    let message = format!("No {} left: 5 % ünder, \"✓\"\n", request.sku);
    Status::with_error_details(Code::from_i32(request.qty), message, details)
}

struct Get;

impl UnaryService<GetRequest> for Get {
    type Response = GetResponse;
    type Future = BoxFuture<Response<GetResponse>, Status>;

    fn call(&mut self, request: Request<GetRequest>) -> Self::Future {
        Box::pin(async move {
            let request = request.into_inner();
            if request.sku == "die" {
                process::exit(0);
            }
            if request.qty > 0 {
                return Err(failure(&request));
            }
            Ok(Response::new(GetResponse { sku: request.sku, qty: 1 }))
        })
    }
}

struct Watch;

impl ServerStreamingService<GetRequest> for Watch {
    type Response = GetResponse;
    type ResponseStream = ReceiverStream<Result<GetResponse, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<GetRequest>) -> Self::Future {
        Box::pin(async move {
            let (send, receive) = mpsc::channel(1);
            tokio::spawn(async move {
                let request = request.into_inner();
                for qty in 0..2 {
                    let _ = send.send(Ok(GetResponse { sku: request.sku.clone(), qty })).await;
                    if request.sku == "die" {
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        process::exit(0);
                    }
                }
                let _ = send.send(Err(failure(&request))).await;
            });
            Ok(Response::new(ReceiverStream::new(receive)))
        })
    }
}

#[derive(Clone)]
struct Cart;

impl NamedService for Cart {
    const NAME: &'static str = "shop.v1.Cart";
}

impl<B> Service<http::Request<B>> for Cart
where
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = std::convert::Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        Box::pin(async move {
            let path = request.uri().path().to_string();
            let mut grpc = Grpc::new(ProstCodec::<GetResponse, GetRequest>::default());
            Ok(match path.as_str() {
                "/shop.v1.Cart/Get" => grpc.unary(Get, request).await,
                "/shop.v1.Cart/Watch" => grpc.server_streaming(Watch, request).await,
                _ => Status::unimplemented("").into_http(),
            })
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let descriptors = std::fs::read(env::var("UPSTREAM_DESCRIPTORS")?)?.leak();
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(descriptors)
        .with_service_name(Cart::NAME)
        .build_v1()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    Server::builder()
        .add_service(reflection)
        .add_service(Cart)
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await?;
    Ok(())
}
