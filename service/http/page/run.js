/** One run: what was asked for, what happens, what came of it. */

import { request } from "./api.js";
import { argumentsNode } from "./card.js";
import { stateText, tookText, WAITING } from "./runs.js";
import { Stream } from "./stream.js";
import { block, element, jsonText, setText, unseen } from "./text.js";
import { Timeline } from "./timeline.js";
import { ago, duration, everySecond, exactTime } from "./time.js";

const LINES = 1_000; // of a program, at one time

export class RunView {
  #run = null;
  #stream = null;
  #waiting = new Set();
  #seen = -1; // the number of the last event
  #timeline = new Timeline();
  #title = document.getElementById("run-title");
  #facts = document.getElementById("run-facts");
  #outcome = document.getElementById("outcome");
  #program = document.getElementById("program");
  #abort = document.getElementById("run-abort");
  #hooks;
  #state = element("span", { class: "state" });
  #took = element("span");
  #age = element("time");

  /** ``hooks``: ``news(text)``, ``problem(text)``, ``titled(text)``, ``ended(id)``, ``asked()``. */
  constructor(hooks) {
    this.#hooks = hooks;
    this.id = null;
    everySecond(() => this.#tick());
    new AbortDialog(this.#abort, () => this.#abortRun(), this);
  }

  open(id) {
    this.close();
    this.id = id;
    this.#seen = -1;
    this.#showTitle(`Run ${id}`);
    setText(this.#facts, "Reading…");
    this.#outcome.replaceChildren();
    this.#program.replaceChildren();
    this.#timeline.clear(0, false);
    this.#read(id);
  }

  /** Reads a run that could not be read before. */
  readAgain() {
    if (this.id !== null && this.#run === null) this.#read(this.id);
  }

  async #read(id) {
    try {
      const run = await request(`/v1/runs/${encodeURIComponent(id)}`);
      if (this.id === id && this.#run === null) this.#show(run);
    } catch (error) {
      if (this.id === id) setText(this.#facts, error.message);
    }
  }

  close() {
    this.#stream?.end();
    this.#stream = null;
    this.#run = null;
    this.id = null;
    this.#abort.hidden = true;
  }

  #show(run) {
    this.#run = run;
    this.#showTitle(titleOf(run));
    this.#age.setAttribute("datetime", new Date(run.createdMs).toISOString());
    this.#age.title = exactTime(run.createdMs);
    setText(this.#facts, "");
    this.#facts.replaceChildren(this.#state, this.#took, this.#age, element("span", { class: "data" }, run.id));
    this.#timeline.clear(run.createdMs, run.state === "running");
    this.#showRequest(run);
    this.#showState();
    this.#follow(run.id);
  }

  #showTitle(text) {
    setText(this.#title, text);
    this.#hooks.titled(text);
  }

  #showRequest(run) {
    const heading = document.getElementById("program-title");
    if (run.program !== undefined) {
      setText(heading, "Program");
      this.#program.replaceChildren(programNode(run.program));
    } else {
      setText(heading, "Tool");
      const name = element("p", {}, element("code", { class: "tool data" }, run.tool ?? ""));
      this.#program.replaceChildren(name, argumentsNode(run.arguments ?? {}));
    }
  }

  #showState() {
    const run = this.#run;
    this.#showWaiting();
    this.#abort.hidden = run.state !== "running";
    this.#outcome.replaceChildren(...outcomeNodes(run));
    if (run.error?.line) markLine(this.#program, run.error.line);
    this.#tick();
  }

  /** Says which runs wait for a person. */
  wait(ids) {
    this.#waiting = ids;
    if (this.#run !== null) this.#showWaiting();
  }

  #showWaiting() {
    const { id, state, error } = this.#run;
    const isWaiting = state === "running" && this.#waiting.has(id);
    this.#state.dataset.state = isWaiting ? "waiting" : state;
    setText(this.#state, isWaiting ? WAITING : stateText(state, error?.kind));
  }

  #tick() {
    if (this.#run === null) return;
    setText(this.#took, tookText(this.#run));
    setText(this.#age, `began ${ago(this.#run.createdMs)}`);
  }

  #follow(id) {
    const handlers = {};
    for (const kind of ["start", "log", "sub-call", "approval", "result"]) {
      handlers[kind] = (data, eventId) => this.#take(kind, data, eventId);
    }
    this.#stream = new Stream(`/v1/runs/${encodeURIComponent(id)}/events`, handlers);
  }

  #take(kind, data, eventId) {
    const number = Number(eventId.slice(eventId.lastIndexOf("-") + 1));
    if (number <= this.#seen) return; // a stream that was opened again begins at the start
    this.#seen = number;
    this.#timeline.add(kind, data);
    if (kind === "approval") this.#hooks.asked();
    if (kind === "result") this.#end(data);
  }

  #end({ atMs, ...outcome }) {
    this.#stream.end(); // else the browser would ask for more of it again and again
    const wasRunning = this.#run.state === "running";
    const hadFocus = document.activeElement === this.#abort;
    if (!wasRunning) return; // then the outcome was read with the run
    this.#run = { ...this.#run, ...outcome, endedMs: atMs };
    this.#showState();
    this.#hooks.ended(this.#run.id);
    this.#hooks.news(`The run has ended: ${stateText(this.#run.state, this.#run.error?.kind)}.`);
    if (hadFocus) this.#title.focus();
  }

  async #abortRun() {
    const { id } = this;
    this.#abort.disabled = true;
    try {
      await request(`/v1/runs/${encodeURIComponent(id)}`, { method: "DELETE" });
    } catch (error) {
      this.#hooks.problem(error.message);
    }
    this.#abort.disabled = false;
    if (this.id === id) this.#title.focus();
  }
}

/** Asks before an abort; goes away when the run ends or another is opened. */
class AbortDialog {
  constructor(opener, abort) {
    const dialog = document.getElementById("abort-dialog");
    opener.addEventListener("click", () => dialog.showModal());
    document.getElementById("abort-keep").addEventListener("click", () => dialog.close());
    document.getElementById("abort-now").addEventListener("click", () => {
      dialog.close();
      if (!opener.hidden) abort();
    });
    new MutationObserver(() => opener.hidden && dialog.close()).observe(opener, { attributeFilter: ["hidden"] });
  }
}

function titleOf(run) {
  const firstLine = (run.program ?? "").split("\n").find((line) => line.trim() !== "");
  return (run.description || run.tool || firstLine || "(empty)").trim().slice(0, 200);
}

/** A program's lines with their numbers; of a long one the first, with a button for more. */
function programNode(program) {
  const lines = program.split(/\r\n|\n/);
  const list = element("ol", { class: "plain code", role: "list" });
  const more = element("button", { type: "button" });
  const showMore = () => {
    const from = list.childElementCount;
    for (const line of lines.slice(from, from + LINES)) list.append(element("li", { class: "data" }, line));
    const left = lines.length - list.childElementCount;
    more.hidden = left === 0;
    setText(more, `Show ${Math.min(left, LINES)} of ${left.toLocaleString()} further lines`);
  };
  showMore();
  more.addEventListener("click", () => {
    showMore();
    if (more.hidden) list.parentElement.focus({ preventScroll: true });
  });
  const both = document.createDocumentFragment();
  both.append(list, more);
  return both;
}

function markLine(pane, line) {
  const item = pane.querySelector(`.code > li:nth-child(${line})`);
  if (item === null || item.classList.contains("wrong")) return;
  item.classList.add("wrong");
  item.prepend(unseen("the error is in this line: "));
}

function outcomeNodes(run) {
  if (run.state === "running") return [element("p", { class: "quiet" }, "None yet: the run goes on.")];
  const nodes = [];
  if (run.error) nodes.push(...errorNodes(run.error));
  else if ("result" in run) nodes.push(block(jsonText(run.result)));
  else if (run.program === undefined && run.output) nodes.push(block(run.output));
  else nodes.push(element("p", { class: "quiet" }, "It returned no value."));
  if (run.output && run.program !== undefined) {
    nodes.push(element("details", {}, element("summary", {}, "What the model reads"), block(run.output)));
  }
  if (run.stats) nodes.push(statsNode(run.stats));
  return nodes;
}

function errorNodes(error) {
  const where = error.line ? `line ${error.line}, column ${error.column ?? 1}` : "";
  const budget = error.budget ? `the ${error.budget} budget` : "";
  const facts = [error.kind, error.name, error.code, budget, where].filter(Boolean);
  return [element("p", { class: "wrong-facts data" }, facts.join(" · ")), block(error.message ?? "")];
}

function statsNode(stats) {
  const facts = [
    `${duration(stats.computeMs)} of computing`,
    `${duration(stats.wallMs)} of wall clock`,
    `${stats.calls} ${stats.calls === 1 ? "call" : "calls"}`,
    `${(stats.peakMemoryBytes / 2 ** 20).toFixed(1)} MiB of memory`,
  ];
  if (stats.pausedMs >= 1) facts.splice(2, 0, `${duration(stats.pausedMs)} of waiting for people`);
  return element("p", { class: "facts" }, ...facts.map((fact) => element("span", {}, fact)));
}
