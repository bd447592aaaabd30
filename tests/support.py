"""Shared by the Python tests: the program, services and a proxy."""

import contextlib
import http.client
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The faces of the default colors.
FACES = {"0000ff": "B", "ffff00": "D", "00ff00": "F", "ff8000": "L", "ff0000": "R", "ffffff": "U"}
PROGRAM = os.environ.get("SCRAMBLE444", os.path.join(ROOT, "target", "release", "scramble444"))


def environment(**more):
    """The environment without the variables that the program reads, and with `more`."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SCRAMBLE444_")}
    return {**clean, **more}


class Service:
    """A running service on a free port; killed at the end of a `with` block."""

    def __init__(self, program, tables, *flags, wrapper=()):
        command = [*wrapper, program, "--listen", "127.0.0.1:0", "--tables-dir", str(tables), *flags]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
        # From then on, nobody reads the log.
        line = next(line for line in self.process.stderr if "address=" in line)
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def wait_until_ready(self, timeout=600):
        started = time.monotonic()
        while time.monotonic() - started < timeout:
            assert self.process.poll() is None, "exited before it was ready"
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            with contextlib.closing(connection), contextlib.suppress(OSError):
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            time.sleep(0.05)
        raise AssertionError(f"not ready in {timeout} s")


def shown(svg, faces):
    """The 96 facelets that a net shows, in the order U R F D L B. `faces` has the face of each color."""
    # The upper left sticker of each face.
    corners = {"U": (44, 2), "R": (86, 44), "F": (44, 44), "D": (44, 86), "L": (2, 44), "B": (128, 44)}
    sticker = r'<rect x="(\d+)" y="(\d+)" width="10" height="10" fill="#(\w+)"/>'
    fills = {(int(x), int(y)): faces[fill] for x, y, fill in re.findall(sticker, svg)}
    assert len(fills) == 96, f"a picture has {len(fills)} stickers"
    cells = [(10 * column, 10 * row) for row in range(4) for column in range(4)]
    return "".join(fills[corners[face][0] + x, corners[face][1] + y] for face in "URFDLB" for x, y in cells)


def proxy_config(port, instances):
    """deploy/haproxy.cfg with a port on loopback, and with `instances` as the replicas."""
    text = (pathlib.Path(ROOT) / "deploy" / "haproxy.cfg").read_text()
    text, binds = re.subn(r"bind :8080", f"bind 127.0.0.1:{port}", text)
    servers = "\n".join(
        f"    server replica{number} 127.0.0.1:{instance.port}"
        for number, instance in enumerate(instances, 1)
    )
    text, templates = re.subn(r" *server-template .*", servers, text)
    assert (binds, templates) == (1, 1), "deploy/haproxy.cfg has an unexpected form"
    return text


@contextlib.contextmanager
def proxy(config_text):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as config:
        config.write(config_text)
        config.flush()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(["haproxy", "-db", "-f", config.name], **quiet)
        try:
            yield
        finally:
            process.terminate()
            process.wait(10)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
