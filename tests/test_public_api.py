"""The public names are those of ``__all__``, defined in this project, and come from one place each."""

import importlib
from types import ModuleType

import pytest

PACKAGES = [
    "codemode.runtime",
    "codemode.runtime.testing",
    "codemode.registry",
    "codemode.registry.log",
    "codemode.registry.policies",
    "codemode.registry.presentation",
    "codemode.registry.schema",
    "codemode.sdkgen",
]
CLOSED = [
    name for name in PACKAGES if name not in ("codemode.runtime.testing", "codemode.registry.log")
]


@pytest.mark.parametrize("name", PACKAGES)
def test_all_names_exist_are_ours_and_are_sorted(name: str) -> None:
    module = importlib.import_module(name)
    names: list[str] = module.__all__
    assert len(set(names)) == len(names)
    assert sorted(names, key=lambda item: (not item.isupper(), item[0].islower(), item)) == names
    for item in names:
        value: object = getattr(module, item)
        home = getattr(value, "__module__", None)
        assert home is None or home.startswith(("codemode", "types", "typing", "collections"))


@pytest.mark.parametrize("name", CLOSED)
def test_nothing_else_is_public(name: str) -> None:
    module = importlib.import_module(name)
    public = {
        item
        for item, value in vars(module).items()
        if not item.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public == set(module.__all__)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_class_and_function_says_what_it_does(name: str) -> None:
    module = importlib.import_module(name)
    for item in module.__all__:
        value = getattr(module, item)
        if isinstance(value, type):
            assert value.__doc__, item
