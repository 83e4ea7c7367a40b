/** Times as people read them, by the service's clock. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const CLOSE_ENOUGH = 2 * SECOND; // the Date header has whole seconds, and travels

let skew = 0;
const watchers = new Set();

/** Learns from a response's Date header how far this clock is from the service's. */
export function noteServerTime(header) {
  const at = Date.parse(header ?? "");
  if (Number.isNaN(at)) return;
  const found = at + SECOND / 2 - Date.now();
  skew = Math.abs(found) > CLOSE_ENOUGH ? found : 0;
}

export function serverNow() {
  return Date.now() + skew;
}

/** Calls back once a second, for texts that tell an age. */
export function everySecond(action) {
  watchers.add(action);
}

setInterval(() => watchers.forEach((action) => action()), SECOND);

export function duration(ms) {
  if (ms < 10) return `${Math.max(0, Math.round(ms * 10) / 10)} ms`;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return longDuration(ms);
}

/** In whole seconds: for what counts up or down while somebody looks. */
export function longDuration(ms) {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** When something was, from the start of something else. */
export function offset(ms) {
  return ms < 100 * SECOND ? `+${(Math.max(0, ms) / SECOND).toFixed(3)} s` : `+${longDuration(ms)}`;
}

export function ago(atMs) {
  const past = serverNow() - atMs;
  if (past < SECOND) return "now";
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  return new Date(atMs).toLocaleString();
}

export function exactTime(atMs) {
  return new Date(atMs).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
