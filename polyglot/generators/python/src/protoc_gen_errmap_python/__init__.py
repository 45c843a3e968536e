"""Runs protoc-gen-errmap-python, which is built from Go into WebAssembly and lies beside this file."""

import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from threading import Timer

from wasmtime import Config, Engine, ExitTrap, Linker, Module, Store, WasiConfig, WasmtimeError

_NAME = "protoc-gen-errmap-python"

# After so many seconds it is said that the plugin is being compiled, lest it seem to hang.
_PATIENCE = 3.0


def main() -> None:
    """Be the program: read a CodeGeneratorRequest, write a CodeGeneratorResponse, and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the plugin with this process's standard streams, and return its exit status."""
    engine, often = _engine()
    notice = Timer(_PATIENCE, _tell, [often])
    notice.daemon = True
    notice.start()
    try:
        with as_file(files(__name__) / f"{_NAME}.wasm") as path:
            module = Module.from_file(engine, str(path))
    finally:
        notice.cancel()
    linker = Linker(engine)
    linker.define_wasi()
    store = Store(engine)
    wasi = WasiConfig()
    wasi.argv = [_NAME, *arguments]
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    start = linker.instantiate(store, module).exports(store)["_start"]
    try:
        start(store)  # type: ignore[operator]
    except ExitTrap as exit_:
        return exit_.code
    return 0


def _engine() -> tuple[Engine, str]:
    """An engine that keeps what it compiled in wasmtime's cache, and how often it compiles then.

    The cache is in the user's own cache directory; where none can be made the plugin works without.
    """
    config = Config()
    try:
        config.cache = True
    except WasmtimeError:
        return Engine(), "which happens on each run, for there is no directory to cache it in"
    return Engine(config), "which happens once"


def _tell(often: str) -> None:
    print(f"{_NAME}: compiling the plugin for this machine, {often}", file=sys.stderr)
