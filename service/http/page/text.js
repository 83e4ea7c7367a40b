/** Text that others wrote, as nodes. Nothing here makes markup of it. */

/** What changes how other text looks, or does not show at all: control characters, bidi overrides,
 * zero-width and filler characters, half surrogates. New lines and tabs are layout. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]+/gu;
const MOST_MARKS = 5_000;

const shownTexts = new WeakMap();

function escaped(text) {
  return Array.from(text, (character) => {
    if (character === "\r") return "\\r";
    const hex = character.codePointAt(0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  }).join("");
}

/** A text as nodes: characters that would hide or turn something are shown as escapes, and marked. */
export function shown(text) {
  const fragment = document.createDocumentFragment();
  let done = 0;
  let marks = 0;
  for (const match of text.matchAll(HIDDEN)) {
    marks += 1;
    if (marks > MOST_MARKS) {
      fragment.append(text.slice(done).replace(HIDDEN, escaped));
      return fragment;
    }
    const mark = document.createElement("span");
    mark.className = "escape";
    mark.textContent = escaped(match[0]);
    fragment.append(text.slice(done, match.index), mark);
    done = match.index + match[0].length;
  }
  fragment.append(text.slice(done));
  return fragment;
}

/** An element; strings among the children become text. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  for (const child of children) node.append(typeof child === "string" ? shown(child) : child);
  return node;
}

/** Sets an element's text, and leaves it alone when it has it already. */
export function setText(node, text) {
  if (shownTexts.get(node) === text) return;
  shownTexts.set(node, text);
  node.replaceChildren(shown(text));
}

export function unseen(text) {
  return element("span", { class: "unseen" }, text);
}

const LONG = 20_000;

/** A block of text; of a long one the beginning, with a button for the rest. */
export function block(text, most = LONG) {
  const pre = element("pre", { class: "data" }, text.slice(0, most));
  if (text.length <= most) return pre;
  const rest = element("button", { type: "button" }, `Show all ${text.length.toLocaleString()} characters`);
  rest.addEventListener("click", () => {
    pre.replaceChildren(shown(text));
    pre.tabIndex = -1;
    pre.focus({ preventScroll: true });
    rest.remove();
  });
  const both = document.createDocumentFragment();
  both.append(pre, rest);
  return both;
}

/** A value as indented JSON. */
export function jsonText(value) {
  if (value === undefined) return "";
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** Parses JSON; a whole number that a double cannot hold keeps its digits, where the browser can do that. */
export function parseJson(text) {
  if (typeof JSON.rawJSON !== "function" || !/\d{16}|\d[eE]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number") return value;
    const isExact = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source));
    return isExact ? value : JSON.rawJSON(context.source);
  });
}
