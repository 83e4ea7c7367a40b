/** The questions that wait for a person, on every view of the page. */

import { coalesced, request, summaryOf } from "./api.js";
import { ApprovalCard } from "./card.js";
import { setText } from "./text.js";
import { everySecond } from "./time.js";

const PAGE = 100;
const MOST_PAGES = 10;
const MOST_SHOWN = 50;
const GAP = 250; // ms between two readings
const HIDDEN_GAP = 15_000; // while the page is hidden it has no stream, and its title shows the count
const SETTLING = 500; // ms in which a click was meant for what stood there before

export class Approvals {
  #cards = new Map();
  #decided = new Set(); // a reading that began before an answer still has the question
  #total = 0;
  #section = document.getElementById("approvals");
  #title = document.getElementById("approvals-title");
  #list = document.getElementById("approval-list");
  #further = document.getElementById("approvals-further");
  #badge = document.getElementById("to-approvals");
  #settling = 0;
  #hooks;

  /** ``hooks``: ``news(text)``, ``problem(text)``, ``focusMain()``, ``changed(count, runIds)``. */
  constructor(hooks) {
    this.#hooks = hooks;
    this.read = coalesced(() => this.#read(), GAP);
    everySecond(() => this.#tick());
    setInterval(() => document.hidden && this.read(), HIDDEN_GAP);
    this.#badge.addEventListener("click", (event) => {
      event.preventDefault(); // the address names the view
      this.#title.focus();
    });
  }

  async #read() {
    try {
      const pending = await readPending();
      this.#show(pending.filter((each) => !this.#decided.has(each.id)));
    } catch (error) {
      if (error.status !== 0) this.#hooks.problem(error.message);
    }
  }

  #show(pending) {
    const ids = new Set(pending.map((each) => each.id));
    for (const [id, card] of this.#cards) {
      if (!ids.has(id)) this.#remove(card);
    }
    const room = MOST_SHOWN - this.#cards.size;
    const fresh = pending.filter((each) => !this.#cards.has(each.id)).slice(0, room);
    fresh.forEach((approval) => this.#add(approval));
    if (fresh.length > 0) this.#hooks.news(announcement(fresh));
    this.#total = pending.length;
    this.#showCount(new Set(pending.map((each) => each.run)));
  }

  #showCount(runs) {
    const count = this.#total;
    this.#section.hidden = count === 0;
    this.#badge.hidden = count === 0;
    setText(this.#title, `Waiting for approval (${count})`);
    setText(this.#badge, `${count} waiting`);
    const further = count - this.#cards.size;
    this.#further.hidden = further <= 0;
    setText(this.#further, `${further} more are shown when these are decided.`);
    this.#hooks.changed(count, runs);
  }

  #add(approval) {
    const card = new ApprovalCard(approval, (...given) => this.#decide(...given));
    if (this.#cards.size === 0) this.#settle();
    this.#cards.set(approval.id, card);
    this.#list.append(card.node); // at the end: none moves away under a pointer
    summaryOf(approval.run)
      .then((run) => run !== null && (card.runTitle = run.title))
      .catch(() => {}); // its id is there
  }

  #remove(card) {
    const hadFocus = card.node.contains(document.activeElement);
    const next = card.node.nextElementSibling ?? card.node.previousElementSibling;
    this.#cards.delete(card.approval.id);
    card.node.remove();
    this.#settle();
    if (!hadFocus) return;
    // Not on a button: whoever pressed a key once more would answer a question unread.
    if (next !== null) next.focus();
    else this.#hooks.focusMain();
  }

  /** After something moved, clicks go nowhere for a moment. */
  #settle() {
    this.#section.classList.add("settling");
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#section.classList.remove("settling"), SETTLING);
  }

  async #decide(card, decision) {
    const { id, tool } = card.approval;
    card.isBusy = true;
    try {
      await request(`/v1/approvals/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ decision }),
      });
      this.#hooks.news(`${decision === "allow" ? "Allowed" : "Denied"}: ${tool}`);
    } catch (error) {
      this.#hooks.problem(`${tool}: ${error.message}`);
      card.isBusy = false;
      this.read();
      return;
    }
    this.#decided.add(id);
    if (this.#cards.has(id)) {
      this.#remove(card);
      this.#total -= 1;
      this.#showCount(new Set([...this.#cards.values()].map((each) => each.approval.run)));
    }
    this.read();
  }

  #tick() {
    let isAnyOver = false;
    for (const card of this.#cards.values()) {
      card.tick();
      isAnyOver ||= card.isOver;
    }
    if (isAnyOver) this.read();
  }
}

/** All of them, the oldest first. */
async function readPending() {
  const found = [];
  let before = "";
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { approvals, next } = await request(`/v1/approvals?state=pending&limit=${PAGE}${before}`);
    found.push(...approvals);
    if (next === null) break;
    before = `&before=${encodeURIComponent(next)}`;
  }
  return found.sort((a, b) => a.askedMs - b.askedMs);
}

function announcement(fresh) {
  if (fresh.length > 1) return `${fresh.length} calls need your approval.`;
  return `A call of ${fresh[0].tool} needs your approval.`;
}
