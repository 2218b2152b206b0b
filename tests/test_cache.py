"""The kernels' cache where the sources cannot be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "scorpion_env"
CODE = """
import numpy as np
from scorpion_env.engine.deal import mix
assert mix(np.uint64(1)) == 0x5692161D100B05E5
print(mix._cache.cache_path)
"""


@pytest.mark.parametrize("user_may_write", [True, False])
def test_kernels_run_from_a_folder_that_cannot_be_written(
    tmp_path: Path, user_may_write: bool
) -> None:
    """They are cached in the user's folder; without that either, they are compiled anew."""
    copy, user = tmp_path / "scorpion_env", tmp_path / "user"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    # a file where a folder belongs keeps even root from writing
    for folder in (copy, copy / "engine"):
        (folder / "__pycache__").touch()
    if user_may_write:
        user.mkdir()
    else:
        user.touch()
    environment = {key: text for key, text in os.environ.items() if not key.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(user), "HOME": str(user)}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(str(user) if user_may_write else "None")
