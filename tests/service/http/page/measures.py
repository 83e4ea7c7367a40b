"""What can be measured of a page for people who do not see it, or not well."""

from typing import Any, Final

from playwright.sync_api import Page

_CONTRASTS: Final = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(each).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    throw new Error("nothing is behind the text");
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === "" || !element.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color).slice(0, 3)), light(behind(element))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), texts.currentNode.data.slice(0, 40)]);
  }
  return found;
}"""

_FOCUS: Final = """() => {
  const active = document.activeElement;
  const shown = active.closest(".run:has(.title:focus-visible)") ?? active;
  const style = getComputedStyle(shown);
  const name = `${active.tagName}#${active.id} ${active.textContent.slice(0, 40)}`;
  return [name, style.outlineStyle !== "none" ? parseFloat(style.outlineWidth) : 0];
}"""

NAMED_ROLES: Final = frozenset(
    ("button", "link", "textbox", "region", "navigation", "dialog", "heading", "checkbox")
)


def contrasts(page: Page) -> list[tuple[float, str]]:
    """The contrast of each text that is shown with what is behind it."""
    return [(ratio, text) for ratio, text in page.evaluate(_CONTRASTS)]


def focus_outlines(page: Page, most: int = 60) -> dict[str, float]:
    """How wide the outline is of each thing that the Tab key reaches, in pixels."""
    found: dict[str, float] = {}
    page.locator("#skip").focus()
    for _ in range(most):
        page.keyboard.press("Tab")
        name, width = page.evaluate(_FOCUS)
        if name.startswith("BODY"):
            break
        found[name] = min(width, found.get(name, width))
    return found


def spoken(page: Page) -> list[dict[str, Any]]:
    """The accessibility tree as Chromium has it: role, name and level of each node."""
    session: Any = page.context.new_cdp_session(page)
    nodes: list[Any] = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        {
            "role": node["role"]["value"],
            "name": node.get("name", {}).get("value", ""),
            "level": _level(node.get("properties", [])),
        }
        for node in nodes
        if not node["ignored"]
    ]


def _level(properties: list[Any]) -> int:
    return next((each["value"]["value"] for each in properties if each["name"] == "level"), 0)


def is_wider_than_window(page: Page) -> bool:
    return page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
