#!/usr/bin/env bash
# Sets a repository up to use this clone, until errmap is published:
#
#   make -C ../errmap use DIR="$PWD"
#
# It is what docs/start.md does step by step. What is there already stays as it is;
# run it again after go mod init, npm init or python3 -m venv .venv to have these too.
set -euo pipefail
clone="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
if [ $# != 1 ] || [ ! -d "$1" ]; then
	echo 'use: no repository to set up, expected make -C ../errmap use DIR="$PWD"' >&2
	exit 2
fi
cd "$1"
if [ "$PWD" = "$clone" ]; then
	echo "use: DIR is errmap's own clone, expected the repository that is to use it" >&2
	exit 2
fi
# What a command says is told where it fails alone.
quiet() {
	local said
	said="$("$@" 2>&1)" || { echo "use: $* failed:" >&2; echo "$said" >&2; exit 1; }
}
did() { printf '%-24s %s\n' "$1" "$2"; }

go -C "$clone/tools" build -o "$PWD/bin/" github.com/bufbuild/buf/cmd/buf ./cmd/buf-plugin-errmap
go -C "$clone" build -o "$PWD/bin/" ./cmd/...
did bin/ "errmap, buf, and the plugins of both: keep it out of git"

for module in errmap:proto googleapis:third_party/googleapis; do
	name="${module%%:*}"
	if [ "$name" = googleapis ] && compgen -G '*/google/rpc' "*/*/google/rpc" > /dev/null && [ ! -d third_party/googleapis ]; then
		did googleapis "google/rpc is here already: list its directory in buf.yaml"
		continue
	fi
	rm -rf "third_party/$name"
	bin/buf export "$clone/${module#*:}" --exclude-imports -o "third_party/$name"
	did "third_party/$name" "the schema: commit it"
done
if [ ! -e buf.yaml ]; then
	cat > buf.yaml <<-'END'
		version: v2
		modules:
		  - path: proto
		  - path: third_party/errmap
		    lint:
		      ignore: [third_party/errmap]
		  - path: third_party/googleapis
		    lint:
		      ignore: [third_party/googleapis]
		lint:
		  use: [STANDARD, ERRMAP]
		breaking:
		  use: [FILE, ERRMAP]
		plugins:
		  - plugin: bin/buf-plugin-errmap
	END
	did buf.yaml "your schema goes into proto/"
fi

if [ ! -e go.mod ] && [ ! -e package.json ] && [ ! -e .venv ]; then
	quiet go mod init "example.com/$(basename "$PWD")"
fi
if [ -e go.mod ]; then
	# go get would ask for versions of errmap, of which there are none yet.
	go mod edit -replace "github.com/errmap/errmap=$clone" -require github.com/errmap/errmap@v0.0.0 \
		-tool github.com/errmap/errmap/cmd/protoc-gen-errmap-go
	for tool in google.golang.org/protobuf/cmd/protoc-gen-go connectrpc.com/connect/v2/cmd/protoc-gen-connect-go; do
		quiet go get -tool "$tool@$(go -C "$clone" list -f '{{.Module.Version}}' "$tool")"
	done
	quiet env GOFLAGS=-mod=mod go list -deps tool github.com/errmap/errmap/{client,errmap,server}/...
	did go.mod "$(go list -m): the library, and its generator as a tool"
	if [ ! -e buf.gen.yaml ]; then
		cat > buf.gen.yaml <<-'END'
			version: v2
			inputs:
			  - directory: proto
			plugins:
			  - local: [go, tool, protoc-gen-go]
			    out: gen
			    opt: paths=source_relative
			  - local: [go, tool, protoc-gen-connect-go]
			    out: gen
			    opt: paths=source_relative
			  - local: [go, tool, protoc-gen-errmap-go]
			    out: gen
			    opt: paths=source_relative
		END
		did buf.gen.yaml "bin/buf generate && go mod tidy"
	fi
fi
if [ -e package.json ]; then
	typescript="$clone/polyglot/typescript"
	[ -d "$typescript/node_modules" ] || quiet npm ci --prefix "$typescript" --ignore-scripts
	quiet npm run --silent --prefix "$typescript" build
	packed="$(npm pack "$typescript" --ignore-scripts --pack-destination third_party --loglevel error | tail -n 1)"
	quiet npm install --no-audit --no-fund "./third_party/$packed"
	did package.json "@errmap/errmap; its generator is bin/protoc-gen-errmap-es"
fi
if [ -e .venv/bin/python ]; then
	quiet .venv/bin/python -m pip install --quiet --disable-pip-version-check "$clone/polyglot/python"
	did .venv "the package of Python; its generator is bin/protoc-gen-errmap-python"
fi
