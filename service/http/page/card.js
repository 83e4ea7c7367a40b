/** How one question to a person looks. */

import { diffNode } from "./diff.js";
import { element, jsonText, setText } from "./text.js";
import { ago, longDuration, serverNow } from "./time.js";

const TALL = 8; // lines, or what makes as many: then it scrolls, so a keyboard must reach it
const WIDE = 600; // characters

export class ApprovalCard {
  /** ``decide(approval, decision)`` is called when somebody presses a button. */
  constructor(approval, decide) {
    this.approval = approval;
    this.#build(decide);
    this.tick();
  }

  #build(decide) {
    const { approval } = this;
    const titleId = `approval-${approval.id}`;
    this.heading = element("h3", { id: titleId, class: "data" }, approval.tool);
    this.expiry = element("span", { class: "expiry" });
    this.age = element("span");
    this.runLink = element("a", { class: "data", href: `#/runs/${encodeURIComponent(approval.run)}` }, approval.run);
    this.allow = this.#button("Allow once", "primary", titleId, () => decide(this, "allow"));
    this.deny = this.#button("Deny", "", titleId, () => decide(this, "deny"));
    const asked = element("p", { class: "facts" }, this.expiry, this.age);
    const from = element("p", { class: "from" }, "Run ", this.runLink);
    this.node = element("li", { class: "approval panel", "aria-labelledby": titleId, tabindex: "-1" });
    this.node.append(this.heading, asked, from, ...this.#reason(), ...cardParts(approval.card, approval.tool));
    this.node.append(argumentsNode(approval.arguments), element("div", { class: "buttons" }, this.allow, this.deny));
  }

  #reason() {
    const parts = [];
    if (this.approval.reason) parts.push(element("p", { class: "reason data" }, `Asked because: ${this.approval.reason}`));
    if (this.approval.isConfirmation) parts.push(element("p", {}, "It was allowed once; this asks you to confirm it."));
    return parts;
  }

  #button(name, kind, describedBy, action) {
    const button = element("button", { type: "button", class: kind, "aria-describedby": describedBy }, name);
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") action();
    });
    return button;
  }

  /** While an answer is on its way the buttons do nothing; they keep the focus. */
  set isBusy(isBusy) {
    for (const button of [this.allow, this.deny]) button.setAttribute("aria-disabled", String(isBusy));
  }

  set runTitle(title) {
    setText(this.runLink, title);
  }

  get isOver() {
    return this.approval.expiresMs <= serverNow();
  }

  tick() {
    const left = this.approval.expiresMs - serverNow();
    setText(this.expiry, left > 0 ? `expires in ${longDuration(left)}` : "expired");
    setText(this.age, `asked ${ago(this.approval.askedMs)}`);
  }
}

function cardParts(card, tool) {
  if (card === null || card === undefined) return [];
  const parts = [];
  if (card.title && card.title !== tool) parts.push(element("p", { class: "data" }, `The tool calls it: ${card.title}`));
  if (card.description) parts.push(element("p", { class: "data" }, card.description));
  if (card.cwd) parts.push(element("p", { class: "data" }, `In the folder: ${card.cwd}`));
  if (card.card === "diff") parts.push(...card.diffs.map(diffNode));
  return parts;
}

/** Every argument by its name, in full: what is not shown cannot be judged. */
export function argumentsNode(given) {
  const isNamed = typeof given === "object" && given !== null && !Array.isArray(given);
  const entries = isNamed ? Object.entries(given) : [["(the argument)", given]];
  if (entries.length === 0) return element("p", { class: "quiet" }, "No arguments.");
  const list = element("dl", { class: "arguments" });
  for (const [name, value] of entries) list.append(...argumentNodes(name, value));
  return list;
}

function argumentNodes(name, value) {
  const isText = typeof value === "string" && value.includes("\n");
  const text = isText ? value : jsonText(value);
  const lineCount = text.split("\n").length;
  const term = element("dt", { class: "data" }, name === "" ? "(an empty name)" : name);
  if (isText) term.append(element("span", { class: "quiet" }, ` text of ${lineCount} lines`));
  const pre = element("pre", { class: "data" }, text);
  if (lineCount > TALL || text.length > WIDE) {
    pre.tabIndex = 0;
    pre.setAttribute("role", "group");
    pre.setAttribute("aria-label", `Argument ${name}`);
  }
  return [term, element("dd", {}, pre)];
}
