/** What happened in a run, as a list that stays short however much happens.
 *
 * Events are taken at once; the document changes once a frame, and has the last entries alone until somebody
 * asks for earlier ones.
 */

import { argumentsNode } from "./card.js";
import { stateText } from "./runs.js";
import { block, element, setText, unseen } from "./text.js";
import { duration, offset } from "./time.js";

const STEP = 200;
const LONG = 2_000; // characters of one entry
const NEAR_END = 40; // pixels

const CALL_STATES = { started: "Running", succeeded: "Succeeded", failed: "Failed" };
const APPROVAL_STATES = {
  pending: "Waiting for a person",
  allowed: "Allowed",
  denied: "Denied",
  expired: "Expired",
  cancelled: "Cancelled",
};

export class Timeline {
  #entries = [];
  #byId = new Map(); // sub-calls and approvals, which change
  #changed = new Set();
  #first = 0; // the entries [first, end) are in the document
  #end = 0;
  #most = STEP;
  #frame = 0;
  #list = document.getElementById("timeline");
  #pane = document.getElementById("timeline-pane");
  #earlier = document.getElementById("timeline-earlier");
  #startMs = 0;
  #isFollowing = false;

  constructor() {
    this.#earlier.addEventListener("click", () => {
      this.#most += STEP;
      this.#flush();
      if (this.#earlier.hidden) this.#pane.focus();
    });
  }

  /** Empties it for another run; ``isFollowing`` keeps the last entry in sight while one sees the end. */
  clear(startMs, isFollowing) {
    this.#isFollowing = isFollowing;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#startMs = startMs;
    this.#entries = [];
    this.#byId.clear();
    this.#changed.clear();
    this.#first = this.#end = 0;
    this.#most = STEP;
    this.#list.replaceChildren();
    this.#earlier.hidden = true;
  }

  add(kind, data) {
    const known = data.id === undefined ? undefined : this.#byId.get(data.id);
    if (known) {
      Object.assign(known.data, { ...data, atMs: known.data.atMs });
      this.#changed.add(known);
    } else {
      const entry = { kind, data, node: null };
      this.#entries.push(entry);
      if (data.id !== undefined) this.#byId.set(data.id, entry);
    }
    this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  #flush() {
    this.#frame = 0;
    const isAtEnd = this.#pane.scrollHeight - this.#pane.scrollTop - this.#pane.clientHeight < NEAR_END;
    const from = Math.max(0, this.#entries.length - this.#most);
    this.#forget(from);
    this.#list.prepend(...this.#nodes(from, this.#first));
    this.#first = from;
    this.#list.append(...this.#nodes(this.#end, this.#entries.length));
    this.#end = this.#entries.length;
    for (const entry of this.#changed) {
      if (entry.node !== null) entry.node.update(entry.data);
    }
    this.#changed.clear();
    this.#earlier.hidden = from === 0;
    setText(this.#earlier, `Show ${Math.min(STEP, from)} earlier of ${from.toLocaleString()}`);
    if (isAtEnd && this.#isFollowing) this.#pane.scrollTop = this.#pane.scrollHeight;
  }

  #forget(from) {
    for (let index = this.#first; index < Math.min(from, this.#end); index += 1) {
      this.#entries[index].node.element.remove();
      this.#entries[index].node = null;
    }
    if (from > this.#first) this.#first = from;
    this.#end = Math.max(this.#end, this.#first);
  }

  #nodes(from, to) {
    return this.#entries.slice(from, Math.max(from, to)).map((entry) => {
      entry.node = new EntryNode(entry.kind, entry.data, this.#startMs);
      return entry.node.element;
    });
  }
}

class EntryNode {
  constructor(kind, data, startMs) {
    this.body = element("div", { class: "entry" });
    const at = element("span", { class: "at" }, offset(data.atMs - startMs));
    this.element = element("li", { "data-kind": kind }, at, this.body);
    BUILD[kind](this, data);
  }

  line(name, ...parts) {
    this.body.append(element("p", { class: "what" }, element("span", { class: "kind" }, name), ...parts));
  }

  update() {} // what has no id does not change
}

const BUILD = {
  start(node) {
    node.line("Start");
  },

  log(node, data) {
    const from = data.source === "runtime" ? "Runtime" : "Log";
    node.line(data.level === "log" ? from : `${from}: ${data.level}`);
    node.body.append(block(data.text, LONG));
  },

  "sub-call"(node, data) {
    const state = element("span", { class: "state" });
    const code = element("code", { class: "data" });
    const summary = element("p", { class: "summary data" });
    node.line("Call", element("code", { class: "tool data" }, data.tool ?? ""), state, code);
    node.body.append(summary);
    if (hasAny(data.arguments)) node.body.append(argumentsDetails(data.tool, data.arguments));
    node.update = (now) => {
      const took = now.durationMs === undefined ? "" : ` in ${duration(now.durationMs)}`;
      state.dataset.state = now.state === "started" ? "running" : now.state;
      setText(state, `${CALL_STATES[now.state] ?? now.state}${took}`);
      setText(code, now.code ?? "");
      setText(summary, now.summary ?? "");
      summary.hidden = !now.summary;
      code.hidden = !now.code;
    };
    node.update(data);
  },

  approval(node, data) {
    const state = element("span", { class: "state" });
    node.line("Approval", element("code", { class: "tool data" }, data.tool ?? ""), state);
    if (data.reason) node.body.append(element("p", { class: "summary data" }, data.reason));
    node.update = (now) => {
      state.dataset.state = now.state === "pending" ? "waiting" : now.state;
      setText(state, `${APPROVAL_STATES[now.state] ?? now.state}${now.by ? ` by ${now.by}` : ""}`);
    };
    node.update(data);
  },

  result(node, data) {
    const state = element("span", { class: "state", "data-state": data.state }, stateText(data.state));
    node.line("End", state);
  },
};

function hasAny(given) {
  return given !== undefined && given !== null && Object.keys(given).length > 0;
}

/** Filled when it is opened: most never are. */
function argumentsDetails(tool, given) {
  const details = element("details", {}, element("summary", {}, "Arguments", unseen(` of ${tool}`)));
  details.addEventListener("toggle", () => details.append(argumentsNode(given)), { once: true });
  return details;
}
