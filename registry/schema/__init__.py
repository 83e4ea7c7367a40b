"""JSON Schemas of tools: argument checks, the parameter DSL, the subset for structured output."""

from ._checker import SchemaChecker, compile_schema
from ._output import assert_supported_output_schema
from ._output_value import validate_structured_value
from ._spec import PropertySpec, SchemaSpec, schema_spec_to_json_schema
from ._spec_args import validate_args
from ._spec_check import check_schema_spec

__all__ = [
    "PropertySpec",
    "SchemaChecker",
    "SchemaSpec",
    "assert_supported_output_schema",
    "check_schema_spec",
    "compile_schema",
    "schema_spec_to_json_schema",
    "validate_args",
    "validate_structured_value",
]
