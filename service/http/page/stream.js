/** Server-sent events that come back when they are lost.
 *
 * A stream is closed while its page is hidden: a browser has six connections for one service, and the tabs of
 * a person would use them up.
 */

import { request } from "./api.js";
import { parseJson } from "./text.js";

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 20_000;

const lost = new Set();
let onChange = () => {};

/** Tells whether every open stream is connected: ``action(isLost)``. */
export function onConnection(action) {
  onChange = action;
}

export class Stream {
  #path;
  #handlers;
  #source = null;
  #timer = 0;
  #wait = FIRST_WAIT;
  #onVisibility = () => (document.hidden ? this.#close() : this.#open());

  /** ``handlers`` are by event type, each called with the data and the event's id; ``open`` is called when the
   * stream is there, also again. */
  constructor(path, handlers) {
    this.#path = path;
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", this.#onVisibility);
    if (!document.hidden) this.#open();
  }

  /** Ends it for good. */
  end() {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#close();
  }

  #open() {
    this.#close();
    const source = (this.#source = new EventSource(this.#path));
    source.onopen = () => {
      this.#wait = FIRST_WAIT;
      this.#tell(false);
      this.#handlers.open?.();
    };
    source.onerror = () => {
      this.#tell(true);
      if (source.readyState === EventSource.CLOSED) this.#openLater();
    };
    for (const [type, handle] of Object.entries(this.#handlers)) {
      if (type === "open") continue;
      source.addEventListener(type, (event) => handle(parseJson(event.data), event.lastEventId));
    }
  }

  /** A browser tries again by itself when it has lost a connection, but not when it was refused one. */
  #openLater() {
    this.#timer = setTimeout(async () => {
      await request("/v1/runs?limit=1").catch(() => {}); // says whether there is a valid token still
      if (this.#source !== null) this.#open();
    }, this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    if (lost.delete(this)) onChange(lost.size > 0);
  }

  #tell(isLost) {
    if (isLost) lost.add(this);
    else lost.delete(this);
    onChange(lost.size > 0);
  }
}
