/** The list of runs, the newest first. */

import { coalesced, request, summaryOf } from "./api.js";
import { element, setText } from "./text.js";
import { ago, duration, everySecond, exactTime, longDuration, serverNow } from "./time.js";

const PAGE = 50;
const GAP = 250; // ms between two readings of the list

const STATES = {
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  aborted: "Aborted",
  interrupted: "Interrupted",
};

export const WAITING = "Waiting for approval";

export function stateText(state, errorKind) {
  const name = STATES[state] ?? state;
  return state === "failed" && errorKind && errorKind !== "exception" ? `${name}: ${errorKind}` : name;
}

/** How long a run took, or has been going. */
export function tookText(run) {
  if (run.endedMs === null) return `for ${longDuration(serverNow() - run.createdMs)}`;
  return `took ${duration(run.endedMs - run.createdMs)}`;
}

class Row {
  constructor(run) {
    this.state = element("span", { class: "state" });
    this.link = element("a", { class: "title data", href: `#/runs/${encodeURIComponent(run.id)}` });
    this.took = element("span");
    this.age = element("time", {
      datetime: new Date(run.createdMs).toISOString(),
      title: exactTime(run.createdMs),
    });
    const when = element("span", { class: "when" }, this.took, this.age);
    this.node = element("li", { class: "run" }, this.state, this.link, when);
    this.update(run, false);
  }

  update(run, isWaiting) {
    this.run = run;
    this.isWaiting = isWaiting;
    this.state.dataset.state = isWaiting ? "waiting" : run.state;
    setText(this.state, isWaiting ? WAITING : stateText(run.state, run.errorKind));
    setText(this.link, run.title || "(no title)");
    this.tick();
  }

  tick() {
    setText(this.took, tookText(this.run));
    setText(this.age, ago(this.run.createdMs));
  }
}

export class RunList {
  #runs = new Map();
  #rows = new Map();
  #changed = new Set();
  #waiting = new Set();
  #most = PAGE; // how many somebody has asked to see
  #isWhole = false; // there are none behind the last one
  #list = document.getElementById("run-list");
  #more = document.getElementById("runs-more");
  #empty = document.getElementById("runs-empty");
  #onProblem;

  constructor(onProblem) {
    this.#onProblem = onProblem;
    this.read = coalesced(() => this.#read(), GAP);
    this.#more.addEventListener("click", () => this.#readFurther());
    everySecond(() => this.#rows.forEach((row) => row.tick()));
  }

  /** Reads the list again because a run has changed. */
  changed(id) {
    this.#changed.add(id);
    this.read();
  }

  /** Says which runs wait for a person. */
  wait(ids) {
    this.#waiting = ids;
    this.#render();
  }

  async #read() {
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      const page = await request(`/v1/runs?limit=${PAGE}`);
      this.#takeFirst(page);
      const here = new Set(page.runs.map((run) => run.id));
      for (const id of changed) {
        if (this.#runs.has(id) && !here.has(id)) this.#take(await summaryOf(id));
      }
    } catch (error) {
      changed.forEach((id) => this.#changed.add(id));
      if (error.status !== 0) this.#onProblem(error.message); // the connection has a text of its own
    }
    this.#render();
  }

  #takeFirst(page) {
    const isJoined = page.runs.some((run) => this.#runs.has(run.id));
    if (page.next === null || !isJoined) {
      this.#runs.clear(); // all there is, or so much news that there is a gap
      this.#isWhole = page.next === null;
    }
    page.runs.forEach((run) => this.#take(run));
  }

  async #readFurther() {
    this.#more.disabled = true;
    const last = this.#sorted().at(-1);
    try {
      const page = await request(`/v1/runs?limit=${PAGE}&before=${encodeURIComponent(last.id)}`);
      this.#most += PAGE;
      this.#isWhole = page.next === null;
      page.runs.forEach((run) => this.#take(run));
      this.#render();
      this.#rows.get(page.runs[0]?.id)?.link.focus();
    } catch (error) {
      this.#onProblem(error.message);
    }
    this.#more.disabled = false;
  }

  #take(run) {
    if (run !== null) this.#runs.set(run.id, run);
  }

  #sorted() {
    return [...this.#runs.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  #render() {
    const all = this.#sorted();
    for (const run of all.splice(this.#most)) {
      this.#runs.delete(run.id);
      this.#isWhole = false;
    }
    for (const [id, row] of this.#rows) {
      if (this.#runs.has(id)) continue;
      row.node.remove();
      this.#rows.delete(id);
    }
    let next = this.#list.firstChild;
    for (const run of all) {
      const row = this.#rowOf(run);
      row.update(run, run.state === "running" && this.#waiting.has(run.id));
      if (row.node === next) next = next.nextSibling;
      else this.#list.insertBefore(row.node, next);
    }
    this.#empty.hidden = all.length > 0 || !this.#isWhole;
    this.#more.hidden = this.#isWhole || all.length === 0;
  }

  #rowOf(run) {
    const row = this.#rows.get(run.id) ?? new Row(run);
    this.#rows.set(run.id, row);
    return row;
  }
}
