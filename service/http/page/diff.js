/** The difference of two texts, line by line. */

import { element, unseen } from "./text.js";

const MOST_CELLS = 4_000_000;
const MOST_ROWS = 4_000;
const CONTEXT = 3;
const SIGNS = { same: " ", old: "−", new: "+" };
const SAID = { same: "", old: "removed: ", new: "added: " };

/** Gives ``[kind, line]`` pairs, of the kinds ``same``, ``old`` and ``new``. */
export function lineDiff(oldText, newText) {
  const areWhole = (oldText ?? "\n").endsWith("\n") && newText.endsWith("\n");
  const before = lines(oldText, areWhole);
  const after = lines(newText, areWhole);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const shortest = Math.min(before.length, after.length) - start;
  while (end < shortest && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(0, start).map((line) => ["same", line]),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((line) => ["same", line]),
  ];
}

/** ``areWhole``: each ends with a new line, behind which there is no line. */
function lines(text, areWhole) {
  if (text === null || text === "") return [];
  return (areWhole ? text.slice(0, -1) : text).split("\n");
}

/** By the longest common subsequence; of much text, all of the old and all of the new. */
function middle(before, after) {
  const width = after.length + 1;
  const result = [];
  let i = 0;
  let j = 0;
  if (before.length * after.length <= MOST_CELLS) {
    const common = new Uint32Array((before.length + 1) * width);
    for (let a = before.length - 1; a >= 0; a -= 1) {
      for (let b = after.length - 1; b >= 0; b -= 1) {
        const at = a * width + b;
        common[at] =
          before[a] === after[b] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
      }
    }
    while (i < before.length && j < after.length) {
      const at = i * width + j;
      if (before[i] === after[j]) {
        result.push(["same", before[i]]);
        i += 1;
        j += 1;
      } else if (common[at + width] >= common[at + 1]) result.push(["old", before[i++]]);
      else result.push(["new", after[j++]]);
    }
  }
  while (i < before.length) result.push(["old", before[i++]]);
  while (j < after.length) result.push(["new", after[j++]]);
  return result;
}

/** One file's difference, with the lines around each change. */
export function diffNode({ path, oldText, newText }) {
  const rows = lineDiff(oldText, newText);
  const added = rows.filter(([kind]) => kind === "new").length;
  const removed = rows.filter(([kind]) => kind === "old").length;
  const counts = oldText === null ? `new file, ${added} lines` : `${removed} removed, ${added} added`;
  const heading = element("p", { class: "path" }, element("code", { class: "data" }, path), ` (${counts})`);
  const figure = element("div", { class: "diff" }, heading);
  if (added + removed > MOST_ROWS) {
    figure.append(element("p", {}, "Too many lines to be compared here: see the arguments."));
    return figure;
  }
  const list = element("ol", { class: "plain lines", tabindex: "0", role: "list", "aria-label": "Changed lines" });
  for (const each of folded(rows)) list.append(rowNode(each));
  figure.append(list);
  return figure;
}

function rowNode([kind, line]) {
  if (kind === "fold") return element("li", { class: "fold" }, line);
  const tag = { same: "span", old: "del", new: "ins" }[kind];
  const sign = element("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]);
  return element("li", { "data-kind": kind }, sign, element(tag, { class: "data" }, unseen(SAID[kind]), line));
}

/** Leaves out what is far from a change. */
function folded(rows) {
  const near = new Uint8Array(rows.length);
  rows.forEach(([kind], index) => {
    if (kind !== "same") near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  const result = [];
  let skipped = 0;
  rows.forEach((row, index) => {
    if (!near[index]) {
      skipped += 1;
      return;
    }
    if (skipped > 0) result.push(fold(skipped));
    skipped = 0;
    result.push(row);
  });
  if (skipped > 0) result.push(fold(skipped));
  return result;
}

function fold(count) {
  return ["fold", count === 1 ? "one line is the same" : `${count} lines are the same`];
}
