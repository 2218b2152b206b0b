"""The Ray cluster that a run works on: one of this machine, or one that is there."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import ray
import torch

import train
from train.rllib_config import RllibConfig
from train.run_folder import RunError

SECONDS_TO_ANSWER = 10


@contextmanager
def cluster(config: RllibConfig, address: str | None) -> Iterator[None]:
    """Be connected to a cluster with room for a run; a connection that is there already is used.

    Parameters
    ----------
    config : RllibConfig
        The run.
    address : str or None
        Where the cluster is (``ray start --head`` prints it); by default one of this machine
        begins and ends here.

    Raises
    ------
    RunError
        If no cluster answers, or it has too few processors or GPUs.
    """
    connected = ray.is_initialized()
    if not connected:
        connect(config, address)
    try:
        _check_room(config)
        yield
    finally:
        if not connected:
            ray.shutdown()


def connect(config: RllibConfig, address: str | None) -> None:
    """Connect to the cluster at an address, or begin one here.

    Raises
    ------
    RunError
        If no cluster answers.
    """
    for name in ("ray", "ray.rllib"):
        logging.getLogger(name).setLevel(logging.ERROR)
    quiet = {"logging_level": "error", "log_to_driver": False, "configure_logging": False}
    if address is None:
        # Ray counts processors as it is told: the processes of a small machine may share them
        count = max(_processes(config), 1)
        ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
        return
    try:
        _check_address(address)
        # the nodes have the library, and this package only from here
        ray.init(address, runtime_env={"py_modules": list(train.__path__)}, **quiet)
    except (OSError, ValueError, RuntimeError) as problem:
        raise RunError(f"no Ray cluster answers at {address}: {problem}") from problem


def _check_address(address: str) -> None:
    """Raise OSError if nobody listens there: Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()


def _processes(config: RllibConfig) -> int:
    """Return how many processes, with a processor each, a run has on the cluster."""
    return config.env_runners + config.learners


def _check_room(config: RllibConfig) -> None:
    """Raise RunError if RLlib would wait for ever for processors or GPUs."""
    has = ray.cluster_resources()
    needs = {"CPU": _processes(config), "GPU": config.learners * config.num_gpus}
    for kind, number in needs.items():
        if number > has.get(kind, 0):
            raise RunError(
                f"the run needs {number:g} {kind}s, the cluster has {has.get(kind, 0):g}: ask for "
                "fewer env_runners, learners or num_gpus, or give a larger cluster by --ray ADDRESS"
            )
    if config.num_gpus and not config.learners and not torch.cuda.is_available():
        raise RunError("num_gpus is set, but torch finds no GPU here: leave it out or set learners")
