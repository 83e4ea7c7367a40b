/** The page: what it shows for an address, and what its parts tell each other. */

import { Approvals } from "./approvals.js";
import { RunView } from "./run.js";
import { RunList } from "./runs.js";
import { onConnection, Stream } from "./stream.js";
import { setText } from "./text.js";

const byId = (id) => document.getElementById(id);
const RUN_ADDRESS = /^#\/runs\/([\w-]+)$/;

let waiting = 0;
let title = "Runs";
let told = [];

function showTitle(text = title) {
  title = text;
  document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title.slice(0, 80)} · codemode`;
}

/** Has a text read aloud. */
function news(text) {
  told.push(text);
  setText(byId("news"), ""); // the same text again is news again
  requestAnimationFrame(() => {
    if (told.length > 0) setText(byId("news"), told.join(" "));
    told = [];
  });
}

function problem(text) {
  setText(byId("problem-text"), text);
  byId("problem").hidden = false;
}

function closeProblem() {
  byId("problem").hidden = true;
  setText(byId("problem-text"), "");
  focusMain();
}

function focusMain() {
  const view = byId("run").hidden ? "runs-title" : "run-title";
  byId(view).focus();
}

const runs = new RunList(problem);
const approvals = new Approvals({
  news,
  problem,
  focusMain,
  changed(count, runIds) {
    waiting = count;
    showTitle();
    runs.wait(runIds);
    runView.wait(runIds);
  },
});
const runView = new RunView({
  news,
  problem,
  titled: showTitle,
  ended: (id) => runs.changed(id),
  asked: () => approvals.read(),
});

/** Shows what the address names. Other fragments (a part of the page) change nothing. */
function navigate() {
  const named = RUN_ADDRESS.exec(location.hash);
  if (named === null && location.hash !== "" && !location.hash.startsWith("#/")) return;
  const id = named === null ? null : named[1];
  if (id !== null && id === runView.id) return;
  byId("runs").hidden = id !== null;
  byId("run").hidden = id === null;
  if (id === null) {
    runView.close();
    byId("to-runs").setAttribute("aria-current", "page");
    showTitle("Runs");
  } else {
    byId("to-runs").removeAttribute("aria-current");
    runView.open(id);
  }
}

function readAgain() {
  runs.read();
  approvals.read();
  runView.readAgain();
}

onConnection((isLost) => {
  const text = isLost ? "Connection lost, trying again" : "Live";
  byId("connection").classList.toggle("lost", isLost);
  setText(byId("connection"), text);
});
addEventListener("hashchange", () => {
  navigate();
  window.scrollTo(0, 0);
  focusMain();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the view
  byId("main").focus();
});
byId("problem-close").addEventListener("click", closeProblem);

navigate();
readAgain();
new Stream("/v1/runs", {
  open: readAgain,
  many: readAgain,
  run({ id }) {
    runs.changed(id);
    approvals.read();
  },
});
