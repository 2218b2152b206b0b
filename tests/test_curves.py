"""Learning curves of several runs: means and bands on common steps, mistakes in a line."""

from pathlib import Path

import numpy as np
import pytest

from train.curves import Group, main, parse_group, read_curve
from train.metrics import COLUMNS, METRICS_CSV


def write_run(folder: Path, values: list[float], steps: int = 100) -> Path:
    folder.mkdir()
    rows = [dict.fromkeys(COLUMNS, "") for _ in values]
    for number, (row, value) in enumerate(zip(rows, values, strict=True), 1):
        row |= {"steps": str(steps * number), "win_rate": str(value), "steps_per_second": "5.0"}
    lines = [",".join(COLUMNS)] + [",".join(row[name] for name in COLUMNS) for row in rows]
    (folder / METRICS_CSV).write_text("\n".join(lines) + "\n")
    return folder


def test_mean_and_band_over_runs(tmp_path: Path) -> None:
    low = write_run(tmp_path / "low", [0.1 * k for k in range(10)])
    high = write_run(tmp_path / "high", [0.1 * k + 0.2 for k in range(8)])
    curve = read_curve(Group("both", [low, high], None), "win_rate")
    assert curve.steps.tolist() == [300, 400, 500, 600]
    np.testing.assert_allclose(curve.low, [0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(curve.high, curve.low + 0.2)
    np.testing.assert_allclose(curve.mean, curve.low + 0.1)


def test_plot_is_drawn_over_minutes_where_speeds_are_given(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [0.5] * 9)
    asked = [f"one={run},{run}@20", f"two={run}@10", "--output"]
    assert main([*asked, str(tmp_path / "timed.svg")]) == 0
    assert main([f"one={run}", "--output", str(tmp_path / "steps.png")]) == 0
    assert (tmp_path / "timed.svg").read_bytes() != (tmp_path / "steps.png").read_bytes()


@pytest.mark.parametrize("text", ["run", "=run", "a=", "a=run@fast", "a=run@0", "a=run@-3"])
def test_groups_are_checked(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="LABEL=RUN"):
        parse_group(text)
    assert main([text]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_run_without_values_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "short", [0.1])
    assert main([f"a={run}", "--output", str(tmp_path / "plot.png")]) == 2
    assert "fewer than 5 values of win_rate" in capsys.readouterr().err
