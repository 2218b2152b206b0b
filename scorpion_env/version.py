"""The version of the library; `scorpion_env.__version__` is the same."""

VERSION = "0.1.0"
