"""A certificate for brokers that speak TLS, which their clients trust and show as their own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

__all__ = ["CERTIFICATE", "KEY", "certify", "copy_where_wanted"]

CERTIFICATE, KEY = "server.pem", "server.key"
_OTHER = "other"

#: The names under which the suite of `amqp` wants them; its package has none.
_WANTED = {
    CERTIFICATE: ("ca_certificate.pem", "client_certificate.pem", "client_certificate_broken.pem"),
    KEY: ("client_key.pem",),
    f"{_OTHER}.key": ("client_key_broken.pem",),
}


def certify(folder: Path, addresses: Iterable[str]) -> None:
    """Make a certificate for some addresses, and its key, and a key that is not its own."""
    names = ",".join(f"IP:{address}" for address in addresses)
    for name in (Path(CERTIFICATE).stem, _OTHER):
        make = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
            f"-keyout {name}.key -out {name}.pem -days 2 -subj /CN=localhost "
            f"-addext subjectAltName={names}"
        )
        subprocess.run(make.split(), cwd=folder, check=True, capture_output=True)


def copy_where_wanted(folder: Path, where: Path) -> None:
    """Lay copies of them into a new directory, under the names that a suite has for them."""
    where.mkdir()
    for source, targets in _WANTED.items():
        for target in targets:
            shutil.copy(folder / source, where / target)
