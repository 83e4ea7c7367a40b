"""The package's build backend (PEP 517, 660): setuptools, after the guest was built."""

from setuptools import build_meta
from setuptools.build_meta import (
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

import guest_build

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

build_sdist = build_meta.build_sdist


def _ensure_guest():
    try:
        guest_build.ensure()
    except guest_build.GuestBuildError as error:
        raise SystemExit(f"codemode-runtime: {error}") from None


def get_requires_for_build_wheel(config_settings=None):
    return build_meta.get_requires_for_build_wheel(config_settings) + guest_build.requirements()


def get_requires_for_build_editable(config_settings=None):
    return build_meta.get_requires_for_build_editable(config_settings) + guest_build.requirements()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _ensure_guest()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _ensure_guest()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
