//! tonic with the defaults of its channel. It makes every call that
//! ../../calls_test.go asks for, and prints what its caller sees, a line of JSON
//! each.

use std::{env, time::Duration};

use serde_json::{json, Value};
use tonic::{client::Grpc, codegen::http::uri::PathAndQuery, transport::Endpoint, Request, Status};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt;

const SERVICE: &str = "errmap.interop.v1.Failures";

async fn call(client: &mut Grpc<tonic::transport::Channel>, method: &str, error: usize) -> (Option<Status>, usize) {
    let path = PathAndQuery::try_from(format!("/{SERVICE}/{method}")).unwrap();
    let mut request = Request::new(error.to_string());
    request.set_timeout(Duration::from_secs(20));
    if let Err(failure) = client.ready().await {
        return (Some(Status::unknown(failure.to_string())), 0);
    }
    let codec: ProstCodec<String, String> = ProstCodec::default();
    if method == "Fail" {
        return (client.unary(request, path, codec).await.err(), 0);
    }
    let mut answers = 0;
    match client.server_streaming(request, path, codec).await {
        Err(failure) => (Some(failure), 0),
        Ok(response) => {
            let mut stream = response.into_inner();
            loop {
                match stream.message().await {
                    Ok(Some(_)) => answers += 1,
                    Ok(None) => return (None, answers),
                    Err(failure) => return (Some(failure), answers),
                }
            }
        }
    }
}

fn line(failure: Option<Status>) -> Value {
    let Some(failure) = failure else {
        return json!({ "code": 0 });
    };
    let details = failure.get_error_details_vec();
    let info = failure.get_details_error_info();
    json!({
        "code": failure.code() as i32,
        "message": failure.message(),
        "details": details.len(),
        "reason": info.as_ref().map(|i| i.reason.clone()),
        "domain": info.as_ref().map(|i| i.domain.clone()),
    })
}

#[tokio::main]
async fn main() {
    let errors: usize = env::var("PEER_ERRORS").unwrap().parse().unwrap();
    for server in env::var("PEER_SERVERS").unwrap().split(',') {
        let (name, target) = server.split_once('=').unwrap();
        let channel = Endpoint::try_from(format!("http://{target}")).unwrap().connect_lazy();
        let mut client = Grpc::new(channel);
        for error in 0..errors {
            for method in ["Fail", "FailInTheMiddle"] {
                let (failure, answers) = call(&mut client, method, error).await;
                let mut line = line(failure);
                line["server"] = json!(name);
                line["error"] = json!(error);
                line["method"] = json!(method);
                line["answers"] = json!(answers);
                println!("{line}");
            }
        }
    }
}
