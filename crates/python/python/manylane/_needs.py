"""Which packages a part of manylane needs, and how they are installed."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turns the failed import of a package into an error that says how to install it.

    >>> with needs("manifest"):
    ...     raise ModuleNotFoundError(name="pyarrow")
    Traceback (most recent call last):
    ImportError: pyarrow is not installed: pip install 'manylane[manifest]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        text = f"{package} is not installed: pip install 'manylane[{extra}]'"
        raise ImportError(text, name=error.name) from None
