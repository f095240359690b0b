"""The command line, as a person uses it."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import optitree
from optitree.cli import app


@pytest.fixture(scope="module")
def demo() -> str:
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    return result.output


def test_demo_prints_the_tree_and_its_proof(demo):
    assert "body mass index <=" in demo
    assert "at most 3 questions deep: objective 0.6260 (5 leaves), proven in" in demo


def test_demo_says_what_a_greedy_tree_loses(demo):
    ours = float(demo.split("objective     ")[1].split()[0])
    greedy = float(demo.split("its objective is ")[1].split(":")[0])
    loses = float(demo.split("its objective is ")[1].split()[1])
    assert greedy - ours == pytest.approx(loses, abs=2e-6)
    assert loses > 0


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert result.output.strip() == f"optitree {optitree.__version__}"


def test_without_a_command_help_is_shown():
    result = CliRunner().invoke(app, [])
    assert "demo" in result.output


def test_unknown_command_is_an_error():
    result = subprocess.run([sys.executable, "-m", "optitree", "nonsense"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "nonsense" in result.stderr
