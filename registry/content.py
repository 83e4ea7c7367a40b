"""What a tool's result shows the model: blocks of text and images, and their JSON form.

The JSON form of a block is the one of the Model Context Protocol: ``{"type": "text", "text": …}``,
``{"type": "image", "data": …, "mimeType": …}``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from ..runtime import JsonValue
from ._json import NotJsonError, copy_json


def must_be_text(what: str, value: object) -> None:
    """Raises TypeError for anything else than a text."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {type(value).__name__}")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text for the model."""

    text: str
    type: Literal["text"] = "text"

    def __post_init__(self) -> None:
        must_be_text("the text of a TextBlock", self.text)


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """An image for the model; ``data`` is base64."""

    data: str
    mime_type: str
    type: Literal["image"] = "image"

    def __post_init__(self) -> None:
        must_be_text("the data of an ImageBlock (base64)", self.data)
        must_be_text("the mime_type of an ImageBlock", self.mime_type)


@dataclass(frozen=True, slots=True)
class OtherBlock:
    """A block of another protocol's kind (audio, a resource), carried as its JSON object."""

    value: Mapping[str, JsonValue]
    type: Literal["other"] = "other"

    def __post_init__(self) -> None:
        copied = copy_json(self.value)
        if not isinstance(copied, dict):
            raise TypeError(f"the value of an OtherBlock is an object, not {type(copied).__name__}")
        object.__setattr__(self, "value", copied)

    @property
    def kind(self) -> str:
        """What the object calls itself."""
        kind = self.value.get("type")
        return kind if isinstance(kind, str) else "unknown"


ContentBlock: TypeAlias = TextBlock | ImageBlock | OtherBlock

_CARRIED = ("audio", "resource", "resource_link")


def block_to_json(block: ContentBlock) -> dict[str, JsonValue]:
    """The block as a JSON object."""
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ImageBlock):
        return {"type": "image", "data": block.data, "mimeType": block.mime_type}
    return dict(block.value)


def block_from_json(value: object) -> ContentBlock | None:
    """The block that a JSON object is, or None if it is none."""
    if isinstance(value, TextBlock | ImageBlock | OtherBlock):
        return value
    if not isinstance(value, Mapping):
        return None
    members = cast("Mapping[str, JsonValue]", value)
    kind = members.get("type")
    if kind == "text":
        text = members.get("text")
        return TextBlock(text) if isinstance(text, str) else None
    if kind == "image":
        data, mime_type = members.get("data"), members.get("mimeType", members.get("mime_type"))
        if isinstance(data, str) and isinstance(mime_type, str):
            return ImageBlock(data, mime_type)
        return None
    try:
        return OtherBlock(members) if kind in _CARRIED else None
    except NotJsonError:
        return None


def as_blocks(value: object) -> tuple[ContentBlock, ...] | None:
    """Content from a text, a block or a sequence of blocks (also as JSON); None if it is none of them."""
    if isinstance(value, str):
        return (TextBlock(value),)
    one = block_from_json(value)
    if one is not None:
        return (one,)
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        return None
    blocks: list[ContentBlock] = []
    for item in cast("Sequence[object]", value):
        block = block_from_json(item)
        if block is None:
            return None
        blocks.append(block)
    return tuple(blocks)


def content_text(content: Iterable[ContentBlock]) -> str:
    """The text of the blocks, a line each; a block without text as ``[image content]``."""
    return "\n".join(
        block.text
        if isinstance(block, TextBlock)
        else f"[{'image' if isinstance(block, ImageBlock) else block.kind} content]"
        for block in content
    )
