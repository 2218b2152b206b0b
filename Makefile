# `make train` and `make test` do all the set-up themselves; they need Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: train test lint boundscheck oldest-gymnasium clean

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
	$(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The engine and the solver with every array index checked, compiled apart from the usual cache.
boundscheck: $(INSTALLED)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/boundscheck $(BIN)/python -m pytest tests/test_engine.py tests/test_batch.py tests/test_solver.py

# The environments on the oldest Gymnasium that is supported.
oldest-gymnasium: $(INSTALLED)
	$(BIN)/python -m pip install -q --no-deps --upgrade --target .venv/gymnasium-1.2.2 gymnasium==1.2.2
	PYTHONPATH=.venv/gymnasium-1.2.2 $(BIN)/python -m pytest tests/test_env.py tests/test_vector_env.py tests/test_render.py

clean:
	rm -rf .venv build *.egg-info
	find . -name '*.nb[ic]' -delete
