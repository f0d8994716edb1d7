"""A RabbitMQ node, and `rabbitmqctl` on it.

The distribution's wrapper scripts switch to another user and read files of the system; the scripts
below `/usr/lib/rabbitmq` do neither, as long as every path is given in the environment.  The server
script ends with `exec`, as it does under systemd, so the child's process id is the node's own and
`kill -9` hits the node and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable
from typing import Any

from bench.process import Failed
from bench.rabbitmq.site import (
    BOOT_SECONDS,
    COOKIE,
    LOOPBACK,
    WITH_US,
    Site,
    end_of,
    free_port,
    wait_until,
)

__all__ = ["Node"]

#: Seconds that `rabbitmqctl` may take to answer, and a node to stop, on a slow machine.
CTL_SECONDS = 180.0

_DISTRIBUTION = "-kernel inet_dist_use_interface {127,0,0,1}"


class Node:
    """A RabbitMQ server; a context manager that ends it by force, whatever happened.

    Args:
        here: where it lives.
        name: the part of its name before the `@`.
        host: an address of the loopback network to listen on.
        port: the port to listen on; by default a free one.
        more: further lines of its configuration file.
        plugins: those that are enabled.
    """

    def __init__(
        self,
        here: Site,
        name: str,
        *,
        host: str = LOOPBACK,
        port: int | None = None,
        more: Iterable[str] = (),
        plugins: Iterable[str] = (),
    ) -> None:
        self.name = f"{name}@localhost"
        self.host = host
        self.port = port or free_port()
        self.log = here.folder / name / "log" / f"{self.name}.log"
        self._here = here
        self._scripts = here.inside(here.scripts)
        self._folder = here.folder / name
        self._environment = self._write_configuration(here, more, plugins)
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _write_configuration(
        self, here: Site, more: Iterable[str], plugins: Iterable[str]
    ) -> dict[str, str]:
        folder = self._folder
        folder.mkdir()
        (folder / "enabled_plugins").write_text(f"[{','.join(plugins)}].\n")
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = {self.host}:{self.port}\n"
            "loopback_users = none\n"
            # Memory and disk of the machine must not decide what an experiment shows.
            "vm_memory_high_watermark.absolute = 1GB\n"
            "disk_free_limit.absolute = 1MB\n" + "".join(f"{line}\n" for line in more)
        )
        inside = here.inside(folder)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("RABBITMQ_", "ERL_"))}
        inherited.pop("NOTIFY_SOCKET", None)
        return inherited | {
            "HOME": here.inside(here.folder),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "ERL_EPMD_PORT": str(here.port),
            "RUNNING_UNDER_SYSTEMD": "true",  # the script becomes the node, instead of its parent
            "RABBITMQ_NODENAME": self.name,
            "RABBITMQ_NODE_IP_ADDRESS": self.host,
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": f"{inside}/mnesia",
            "RABBITMQ_LOG_BASE": f"{inside}/log",
            "RABBITMQ_GENERATED_CONFIG_DIR": f"{inside}/generated",
            "RABBITMQ_SCHEMA_DIR": f"{inside}/schema",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{inside}/enabled_plugins",
            "RABBITMQ_CONFIG_FILE": f"{inside}/rabbitmq.conf",
            "RABBITMQ_CONF_ENV_FILE": f"{inside}/absent-env.conf",
            "RABBITMQ_ADVANCED_CONFIG_FILE": f"{inside}/absent.config",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": _DISTRIBUTION,
            "RABBITMQ_CTL_ERL_ARGS": _DISTRIBUTION,
        }

    # -- its life -----------------------------------------------------------------------------

    def start(self) -> None:
        """Start the node, without waiting for it; `ready` does."""
        assert self._child is None, f"{self.name} runs already"
        self.log.parent.mkdir(exist_ok=True)
        self.log.unlink(missing_ok=True)
        with (self._folder / "console").open("ab") as console:
            self._child = subprocess.Popen(
                [*WITH_US, *self._here.command(f"{self._scripts}/rabbitmq-server")],
                env=self._environment,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # the terminal's Ctrl-C is for us, not for the node
            )

    def ready(self) -> None:
        """Wait until the node serves clients.

        Raises:
            Failed: it ended, or takes too long.
        """
        wait_until(f"{self.name} to boot", self._has_booted, BOOT_SECONDS, self.log)

    def _has_booted(self) -> bool:
        assert self._child is not None
        if self._child.poll() is not None:
            console = self._folder / "console"
            raise Failed(f"{self.name} ended while it booted{end_of(console)}{end_of(self.log)}")
        return "Server startup complete" in self.read_log()

    def stop(self) -> None:
        """Stop the node as an operator would, and wait until it is gone.

        Raises:
            Failed: it does not stop.
        """
        if self._child is not None:
            self._child.send_signal(signal.SIGTERM)
            try:
                self._child.wait(CTL_SECONDS)
            except subprocess.TimeoutExpired:
                raise Failed(f"{self.name} does not stop{end_of(self.log)}") from None
            self._child = None

    def kill(self) -> None:
        """End the node at once, as `kill -9` does; it writes nothing and says nothing."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    @property
    def pid(self) -> int:
        """The node's process id, while it runs."""
        assert self._child is not None, f"{self.name} does not run"
        return self._child.pid

    # -- asking it ----------------------------------------------------------------------------

    def read_log(self) -> str:
        """Return what the node has logged since it was started last."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def ctl(self, *arguments: str) -> str:
        """Run `rabbitmqctl` on this node; return what it printed.

        Raises:
            Failed: it failed, or does not answer.
        """
        ctl = f"{self._scripts}/rabbitmqctl"
        command = self._here.command(ctl, "-q", "-n", self.name, *arguments)
        return self._asked(command, f"rabbitmqctl -n {self.name} {' '.join(arguments)}")

    def _asked(self, command: list[str], what: str, text: str = "") -> str:
        try:
            done = subprocess.run(
                command,
                env=self._environment,
                input=text,
                capture_output=True,
                text=True,
                timeout=CTL_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"no answer in {CTL_SECONDS:.0f} s: {what}{end_of(self.log)}") from None
        if done.returncode != 0:
            raise Failed(f"{what}\n{done.stdout}{done.stderr}{end_of(self.log)}")
        return done.stdout.strip()

    def eval(self, erlang: str) -> str:
        """Evaluate Erlang expressions on this node; return the last one's value as text.

        Erlang's own `erl_call` asks in milliseconds; `rabbitmqctl eval` starts a node to ask.

        Raises:
            Failed: they fail.
        """
        cookie = (self._here.folder / COOKIE).read_text()
        command = self._here.command("erl_call", "-n", self.name, "-c", cookie, "-e")
        said = self._asked(command, f"{erlang} on {self.name}", f"{erlang}\n")
        found = re.fullmatch(r"\{ok, (.*)\}", said, re.DOTALL)
        if found is None:
            raise Failed(f"{erlang} on {self.name}: {said}{end_of(self.log)}")
        return found[1]

    def table(self, kind: str, *columns: str) -> list[dict[str, Any]]:
        """Return what `rabbitmqctl list_KIND` lists, a dictionary for each row.

        Raises:
            Failed: it failed, or does not answer.
        """
        rows: list[dict[str, Any]] = json.loads(
            self.ctl(f"list_{kind}", *columns, "--formatter", "json")
        )
        return rows
