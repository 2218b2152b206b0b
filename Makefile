# `make train` and `make test` do all the set-up themselves; they need Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
INSTALLED_DOCS := .venv/.installed-docs
PLAIN := without_jit edge_cases
PYTHONS ?= $(wildcard $(HOME)/.pyenv/versions/3.1[1-9].*/bin/python)
# what RLlib needs besides Ray and Gymnasium
RLLIB := dm-tree lz4 ormsgpack pandas pyarrow scipy tensorboardX wrapt

.PHONY: train test lint docs audit coverage boundscheck oldest-gymnasium pythons clean

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[train,dev]'
	touch $@

# Train the quickstart policy (about 4 minutes), then play it against the baselines.
train: $(INSTALLED)
	$(BIN)/python -m train configs/ppo_quickstart.yaml
	$(BIN)/python -m agents random greedy runs/latest --sample --seeds 0:10000

test: $(INSTALLED)
	$(BIN)/python $(TRACE) -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

$(INSTALLED_DOCS): $(INSTALLED)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[docs]'
	touch $@

# The documentation, into site/; a dead link is an error.
docs: $(INSTALLED_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Known vulnerabilities of the pinned versions; a package that cannot be looked up is an error.
audit: $(INSTALLED)
	$(BIN)/python -m pip install -q -c constraints.txt pip-audit
	$(BIN)/python -m pip_audit --strict -r constraints.txt --no-deps --disable-pip --progress-spinner off

# The tests, and the lines of the library that they reach: compiled kernels are seen where nothing
# is compiled.
coverage: $(INSTALLED)
	$(BIN)/python -m coverage erase
	$(MAKE) test TRACE="-m coverage run -p"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -p -m pytest -W ignore::RuntimeWarning $(PLAIN:%=tests/test_%.py)
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --fail-under 95

# The engine and the solver with every array index checked, compiled apart from the usual cache.
boundscheck: $(INSTALLED)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/boundscheck $(BIN)/python -m pytest tests/test_engine.py tests/test_batch.py tests/test_solver.py

# The environments on the oldest Gymnasium that is supported, and RLlib, which pins it.
oldest-gymnasium: $(INSTALLED)
	$(BIN)/python -m pip install -q --no-deps --upgrade --target .venv/gymnasium-1.2.2 gymnasium==1.2.2
	$(BIN)/python -m pip install -q --no-deps --upgrade -c constraints.txt --target .venv/rllib $(RLLIB)
	PYTHONPATH=.venv/gymnasium-1.2.2:.venv/rllib $(BIN)/python -m pytest tests/test_env.py tests/test_vector_env.py tests/test_render.py tests/test_golden.py tests/test_rllib.py

# The golden games on other Pythons, with only the library installed: make pythons
# PYTHONS="python3.12 python3.13"; pyenv's are found by themselves.
pythons:
	@test -n "$(PYTHONS)" || { echo "Name the interpreters: make pythons PYTHONS='python3.12 python3.13'"; exit 1; }
	@set -e; for python in $(PYTHONS); do \
		venv=.venv/python-$$($$python -c 'import platform; print(platform.python_version())'); \
		$$python -m venv $$venv; \
		$$venv/bin/python -m pip install -q -c constraints.txt -e .; \
		printf '%s: ' $$venv; \
		$$venv/bin/python -m tests.golden; \
	done

clean:
	rm -rf .venv build site *.egg-info
	find . -name '*.nb[ic]' -delete
