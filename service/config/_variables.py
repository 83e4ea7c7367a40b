"""``${NAME}``: the only way by which the environment gets into a configuration."""

import re
from collections.abc import Callable, Mapping

from ...registry.yaml_text import Path
from ...runtime import JsonValue

_VARIABLE = re.compile(r"\$\$\{|\$\{([^}]*)\}?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def fill_variables(
    value: JsonValue,
    environment: Mapping[str, str],
    fault: Callable[[Path, str], None],
    secrets: set[str],
    path: Path = (),
) -> JsonValue:
    """The value with every ``${NAME}`` in its texts replaced; ``$${`` stands for ``${``.

    ``fault`` hears of each that cannot be. ``secrets`` gets what came from the environment, which must be
    shown nowhere.
    """
    if isinstance(value, list):
        return [
            fill_variables(item, environment, fault, secrets, (*path, index))
            for index, item in enumerate(value)
        ]
    if isinstance(value, dict):
        return {
            name: fill_variables(item, environment, fault, secrets, (*path, name))
            for name, item in value.items()
        }
    if not isinstance(value, str) or "$" not in value:
        return value

    def replace(found: re.Match[str]) -> str:
        if found[0] == "$${":
            return "${"
        name = found[1]
        if not found[0].endswith("}") or not _NAME.fullmatch(name):
            fault(path, "a ${ that names no variable: write ${NAME}, or $${ for the text ${")
            return ""
        if name not in environment:
            fault(path, f"the environment has no {name}: set it, or write the value here")
            return ""
        secrets.add(environment[name])
        return environment[name]

    return _VARIABLE.sub(replace, value)
