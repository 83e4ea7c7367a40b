"""The configuration of a service: one file, checked as a whole before anything is started."""

from ._build import code_mode_of, limits_of
from ._document import ConfigError, Document, parse_document, read_document
from ._load import Loaded, check_document, load_config
from ._model import CodeModeConfig, Config, LimitsConfig, ServerConfig, ServiceConfig

__all__ = [
    "CodeModeConfig",
    "Config",
    "ConfigError",
    "Document",
    "LimitsConfig",
    "Loaded",
    "ServerConfig",
    "ServiceConfig",
    "check_document",
    "code_mode_of",
    "limits_of",
    "load_config",
    "parse_document",
    "read_document",
]
